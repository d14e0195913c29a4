package HandlerSocket2::Options;

use 5.030;
use warnings;

use HandlerSocket2::Error ();
use Socket                qw(AF_INET6 inet_pton);
use overload              ();

our $VERSION = '2.000';

my %DEFAULT = (
    host             => '127.0.0.1',
    port             => 9998,
    write_port       => 9999,
    socket           => undef,
    write_socket     => undef,
    database         => undef,
    user             => undef,
    password         => undef,
    secret           => undef,
    write_secret     => undef,
    tls              => 'off',
    tls_ca           => undef,
    tls_cert         => undef,
    tls_key          => undef,
    tls_name         => undef,
    connect_timeout  => 5,
    timeout          => 30,
    pool_size        => 16,
    max_idle         => 60,
    name             => "handlersocket2-perl/$VERSION",
    replicas         => [],
    read_your_writes => 0,
    gtid_timeout     => 1,
    retries          => 2,
);

sub _wrong { return HandlerSocket2::ConfigurationError->throw( $_[0] ) }

# Each reader gives the value of a text. It gives nothing, and what is wanted, for one that has none.
sub _integer {
    my ( $least, $most ) = @_;
    return sub {
        my ($text) = @_;
        my $fits = $text =~ /\A[0-9]{1,10}\z/ && $text >= $least && $text <= $most;
        return $fits ? 0 + $text : ( undef, "a whole number from $least to $most" );
    };
}

sub _seconds {
    my ($most) = @_;
    return sub {
        my ($text) = @_;
        my $fits = $text =~ /\A[0-9]{1,10}(?:[.][0-9]+)?\z/ && $text <= $most;
        return $fits ? 0 + $text : ( undef, "seconds from 0 to $most" );
    };
}

sub _one_of {
    my ( $allowed, %meaning ) = @_;
    return sub { return $meaning{ $_[0] } // ( undef, $allowed ) };
}

sub _text {
    my ( $form, $wanted ) = @_;
    return sub { return $_[0] =~ $form ? $_[0] : ( undef, $wanted ) };
}

# What stands in brackets is an IPv6 address.
sub _is_host { return $_[0] !~ /\A\[(.*)\]\z/ || inet_pton( AF_INET6, $1 ) }

sub place {
    my ($text) = @_;
    my ( $host, $port ) = $text =~ /\A(\[[0-9a-fA-F:.]+\]|[^:\[\]\s\/\0]+):([0-9]{1,5})\z/;
    return if !$port || $port > 65_535 || !_is_host($host);
    return ( $host =~ tr/[]//dr, 0 + $port );
}

sub _places {
    my ($text) = @_;
    my @found  = split /,/, $text, -1;
    if ( !@found || @found > 32 || grep { !place($_) } @found ) {
        return ( undef, 'host:port,host:port, 32 at most' );
    }
    return \@found;
}

my $TEXT   = _text( qr/\A[^\0]+\z/, 'text of one character or more, without NUL' );
my $SECRET = _text( qr/\A[^\0]*\z/, 'text without NUL' );
my $NAME   = _text(
    qr/\A[^\x00-\x1f\x7f]+\z/,
    'text of one character or more, without control characters'
);
my %READ = (
    ( map { ( $_ => $TEXT ) } keys %DEFAULT ),
    ( map { ( $_ => $SECRET ) } qw(password secret write_secret) ),
    name            => $NAME,
    port            => _integer( 1, 65_535 ),
    write_port      => _integer( 1, 65_535 ),
    tls             => _one_of( 'off, require or verify', map { $_ => $_ } qw(off require verify) ),
    connect_timeout => _seconds(1_000_000),
    timeout         => _seconds(1_000_000),
    pool_size       => _integer( 1, 65_535 ),
    max_idle        => _seconds(1_000_000),
    replicas        => \&_places,
    read_your_writes => _one_of( 'on or off', on => 1, off => 0 ),
    gtid_timeout     => _seconds(600),                               # as the server has it
    retries          => _integer( 0, 1000 ),
);

sub _typed {
    my ($texts) = @_;
    my %values;
    for my $name ( sort keys %$texts ) {
        my $read = $READ{$name} or _wrong("there is no option '$name'");
        ( $values{$name}, my $wanted ) = $read->( $texts->{$name} );
        next                       if !defined $wanted;
        _wrong("$name is $wanted") if $wanted =~ /\Atext/;    # which may be secret
        _wrong("$name is $wanted, not '$texts->{$name}'");
    }
    return \%values;
}

sub _unescape {
    my ( $name, $text ) = @_;
    _wrong("$name is not percent-encoded") if $text =~ /%(?![0-9a-fA-F]{2})/;
    my $bytes = $text;
    utf8::encode($bytes);
    $bytes =~ s/%(..)/chr hex $1/ge;
    utf8::decode($bytes) or _wrong("$name is no UTF-8");
    return $bytes;
}

my $URL = qr{\A(?<scheme>hs|hs\+unix)://
    (?:(?<user>[^:@/?\#]*)(?::(?<password>[^@/?\#]*))?@)?
    (?<host>\[[0-9a-fA-F:.]+\]|[^\[\]:@/?\#\s]*)(?::(?<port>[^/?\#]*))?
    (?<path>/[^?\#]*)?(?:\?(?<query>[^\#]*))?\z}x;

sub defaults { return %DEFAULT }

sub parse_url {
    my ($url) = @_;
    if ( $url =~ /\s/ || $url !~ $URL ) {
        _wrong('the URL is not of the form hs://user:password@host:port/database?option=value');
    }
    my %part = %+;
    my %texts;
    my $take = sub {
        my ( $name, $text ) = @_;
        return                         if !defined $text;
        _wrong("$name is given twice") if exists $texts{$name};
        $texts{$name} = _unescape( $name, $text );
    };
    my $path = $part{path} // q{};
    $take->( $_, $part{$_} ) for qw(user password);
    if ( $part{scheme} eq 'hs' ) {
        _is_host( $part{host} ) or _wrong("host: $part{host} is no IPv6 address");
        my $host = $part{host} =~ tr/[]//dr;
        $take->( host     => $host ) if $host ne q{};
        $take->( port     => $part{port} );
        $take->( database => substr $path, 1 ) if length $path > 1;
    }
    elsif ( $part{host} ne q{} || defined $part{port} || length $path < 2 ) {
        _wrong('hs+unix:// needs the path of a socket, and no host');
    }
    else {
        $take->( socket => $path );
    }
    for my $pair ( length( $part{query} // q{} ) ? split /&/, $part{query}, -1 : () ) {
        my ( $name, $text ) = split /=/, $pair, 2;
        _wrong("the option '$pair' has no value") if !defined $text;
        $take->( $name, $text );
    }
    return _typed( \%texts );
}

# A URL says where the server is; then the file does not.
my @PLACE = qw(host port write_port socket write_socket);

sub _option_file {
    my $named = $ENV{HS_OPTION_FILE} // q{};
    my $path  = $named ne q{} ? $named : ( $ENV{HOME} // q{} ) . '/.hs.cnf';
    return {} if $named eq q{} && !-e $path;
    open my $file, '<:raw', $path or _wrong("the option file $path cannot be read: $!");
    my %texts;
    my $group;
    while ( my $line = <$file> ) {
        utf8::decode($line) or _wrong("the option file $path is no UTF-8");
        $line         =~ /\0/ and _wrong("the option file $path has a NUL byte");
        $line         =~ s/\A\s+|\s+\z//ga;
        next if $line =~ /\A(?:[#;]|\z)/;
        $line =~ /\A!/ and _wrong("'$line' of the option file $path: no other file is included");
        if ( $line =~ s/\A\[// ) {
            ($group) = $line =~ /\A([^\]]*?)\s*\]/a
                or _wrong("a group of the option file $path has no ]");
            next;
        }
        defined $group or _wrong("a line of the option file $path stands before the first group");
        next if lc $group ne 'hs';
        my ( $name, $text ) = split /\s*=\s*/a, $line, 2;
        _wrong("the option '$name' of $path has no value") if !defined $text;
        _wrong("$name stands twice in $path")              if exists $texts{$name};
        $texts{$name} = $text;
    }
    close $file or _wrong("the option file $path cannot be read: $!");
    return _typed( \%texts );
}

# The text of a variable of the environment, which has bytes.
sub _variable {
    my ($name) = @_;
    my $text = $ENV{$name};
    utf8::decode($text) if defined $text;
    return $text;
}

sub _as_text {
    my ( $name, $value ) = @_;
    return join q{,}, @$value if ref $value eq 'ARRAY';
    return $value ? 'on' : 'off'      if $name eq 'read_your_writes' && $value =~ /\A[01]?\z/;
    _wrong("$name has no such value") if ref $value && !overload::Method( $value, q{""} );
    return "$value" =~ /\A[0-9.]+e-[0-9]+\z/ ? sprintf '%.20f', $value : "$value";  # a small number
}

sub make_options {
    my ( $url, %given ) = @_;
    $url //= _variable('HS_URL') if !%given && length $ENV{HS_URL};
    my $values = defined $url ? parse_url($url) : {};
    delete @given{ grep { !defined $given{$_} } keys %given };
    for my $name ( sort keys %given ) {
        _wrong("$name is given twice") if exists $values->{$name};
    }
    my $typed       = _typed( { map { ( $_ => _as_text( $_, $given{$_} ) ) } keys %given } );
    my %environment = ( password => _variable('HS_PASSWORD'), secret => _variable('HS_SECRET') );
    delete @environment{ grep { !defined $environment{$_} } keys %environment };
    my $file = _option_file();
    delete @$file{@PLACE} if defined $url;
    my %all = ( %DEFAULT, %$file, %environment, %$values, %$typed );
    _wrong('tls_cert and tls_key belong together')
        if defined $all{tls_cert} != defined $all{tls_key};
    return \%all;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Options - where the server is and how it is asked

=head1 SYNOPSIS

    my $options = HandlerSocket2::Options::make_options('hs://db', timeout => 2);

=head1 DESCRIPTION

Reads options from a URL, from arguments, from the environment and from the option file. They are
told in L<HandlerSocket2/OPTIONS>. What is wrong is a C<HandlerSocket2::ConfigurationError>.

=head1 FUNCTIONS

=head2 make_options

All options, as a reference to a hash.

=head2 parse_url

Those that a URL names.

=head2 defaults

All, as they are when nothing is given.

=head2 place

Host and port of C<host:port>, or nothing.

=cut
