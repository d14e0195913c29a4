# The vectors that all clients share.
use 5.030;
use warnings;
use utf8;

use FindBin;
use JSON::PP;
use List::Util ();
use Test::More;

use HandlerSocket2::Gtids;
use HandlerSocket2::Options;
use HandlerSocket2::Protocol;
use HandlerSocket2::Reader;
use HandlerSocket2::Values;

my $folder = "$FindBin::Bin/../../vectors";
plan skip_all => 'the vectors are in the repository only' if !-d $folder;

sub cases {
    my ($kind) = @_;
    open my $file, '<:raw', "$folder/$kind.json" or die "$kind: $!";
    local $/ = undef;
    return @{ JSON::PP->new->utf8->decode( scalar <$file> )->{cases} };
}

# Each character of a vector is a byte; what is text in it has to be decoded.
sub text {
    my ($given) = @_;
    return [ map { text($_) } @$given ] if ref $given eq 'ARRAY';
    utf8::decode($given)                if defined $given && !ref $given;
    return $given;
}

sub cuts {
    my ($data) = @_;
    my $size   = length $data;
    my $step   = List::Util::max( 1, int $size / 500 );
    my @cuts   = ( [$data], [ split //, $data ] );
    for ( my $at = 1; $at < $size; $at += $step ) {
        push @cuts, [ substr( $data, 0, $at ), substr( $data, $at ) ];
    }
    return @cuts;
}

sub meaning {
    my ($reply) = @_;
    return { columns => $reply->[0], values => $reply->[1] } if ref $reply eq 'ARRAY';
    return {
        class => ref($reply) =~ s/.*:://r,
        map { ( $_ => $reply->$_ ) } qw(code text number message)
    };
}

sub expected {
    my ($case) = @_;
    return { map { ( $_ => $case->{$_} ) } qw(columns values) } if !exists $case->{code};
    my $hint = $case->{hint} ? ": $case->{hint}" : q{};
    return {
        message => "$case->{text} (code $case->{code})$hint",
        map { ( $_ => $case->{$_} ) } qw(class code text number)
    };
}

sub raised { return ref($@) =~ s/\AHandlerSocket2:://r }

subtest 'values have their tokens' => sub {
    for my $case ( cases('values') ) {
        is HandlerSocket2::Protocol::encode_value( $case->{value} ), $case->{token},
            "case: $case->{name}";
        for my $token ( $case->{token}, @{ $case->{also} // [] } ) {
            is HandlerSocket2::Reader::decode_value($token), $case->{value},
                "case: $case->{name} is read";
        }
    }
};

subtest 'what is no value is refused' => sub {
    for my $case ( cases('bad_values') ) {
        eval { HandlerSocket2::Reader::decode_value( $case->{token} ) };
        is raised(), 'ProtocolError', "case: $case->{name}";
    }
};

sub request {
    my ( $name, @given ) = @{ $_[0] };
    if ( $name eq 'open' ) {
        my $id = shift @given;
        return HandlerSocket2::Protocol::open_index(
            $id,
            HandlerSocket2::Protocol::index_tokens( @{ text( \@given ) } )
        );
    }
    $given[0] = pack 'H*', $given[0] if $name eq 'answer';
    return HandlerSocket2::Protocol->can($name)->(@given);
}

subtest 'requests have their bytes' => sub {
    is request( $_->{call} ), $_->{bytes}, "case: $_->{name}" for cases('requests');
};

subtest 'a get is a find of one row' => sub {
    for my $key ( ['101'], [ 'a', undef, "\t" ] ) {
        my @lines = (
            HandlerSocket2::Protocol::get( 7, $key ),
            HandlerSocket2::Protocol::find( 7, q{=}, $key )
        );
        is $lines[0], $lines[1], scalar @$key;
    }
};

subtest 'what cannot be sent is refused' => sub {
    for my $case ( cases('bad_requests') ) {
        eval { request( $case->{call} ) };
        is raised(), 'ValueError', "case: $case->{name}";
    }
};

for my $kind (qw(replies errors streams)) {
    subtest "$kind are read in any pieces" => sub {
        for my $case ( cases($kind) ) {
            my $wanted = [ map { expected($_) } @{ $case->{replies} // [$case] } ];
            my $wrong  = 0;
            for my $pieces ( cuts( $case->{bytes} ) ) {
                my $reader = HandlerSocket2::Reader->new;
                my $got    = [ map { meaning($_) } map { read_by( $reader, $_ ) } @$pieces ];
                my $same   = JSON::PP->new->canonical->encode($got) eq
                    JSON::PP->new->canonical->encode($wanted);
                is_deeply $got, $wanted if !$same && !is_same( $got, $wanted );
                $wrong++ if $reader->rest != ( $case->{rest} // 0 );
            }
            is $wrong, 0, "case: $case->{name}";
        }
    };
}

# What the reader gives for a piece: by the shorter way, where that takes it.
sub read_by {
    my ( $reader, $piece ) = @_;
    my $only = $reader->only($piece);
    return $only ? ($only) : $reader->feed($piece);
}

# As is_deeply, but silent.
sub is_same {
    my ( $one, $other ) = @_;
    return !defined $other if !defined $one;
    return 0               if !defined $other || ref $one ne ref $other;
    return $one eq $other  if !ref $one;
    if ( ref $one eq 'ARRAY' ) {
        return @$one == @$other && !grep { !is_same( $one->[$_], $other->[$_] ) } 0 .. $#$one;
    }
    return keys %$one == keys %$other && !grep { !is_same( $one->{$_}, $other->{$_} ) } keys %$one;
}

subtest 'what is no reply is refused' => sub {
    for my $case ( cases('bad_replies') ) {
        my $refused = 0;
        my @cuts    = cuts( $case->{bytes} );
        for my $pieces (@cuts) {
            my $reader = HandlerSocket2::Reader->new;
            eval { read_by( $reader, $_ ) for @$pieces; 1 }
                or $refused += raised() eq 'ProtocolError';
        }
        is $refused, scalar @cuts, "case: $case->{name}";
    }
};

subtest 'replies have a bound' => sub {
    for my $case ( cases('long_replies') ) {
        my %seen;
        for my $pieces ( cuts( $case->{bytes} ) ) {
            my $reader = HandlerSocket2::Reader->new( $case->{max_reply} );
            $seen{ eval { read_by( $reader, $_ ) for @$pieces; 1 } ? 'read' : raised() } = 1;
        }
        is join( q{ }, keys %seen ), $case->{error} ? 'ProtocolError' : 'read',
            "case: $case->{name}";
    }
};

subtest 'URLs have their options' => sub {
    for my $case ( cases('urls') ) {
        my $got = eval { HandlerSocket2::Options::parse_url( $case->{url} ) };
        if ( $case->{error} ) {
            is raised(), 'ConfigurationError', "case: $case->{name}";
            next;
        }
        my %default = HandlerSocket2::Options::defaults();
        my %wanted
            = ( %default, map { ref eq 'JSON::PP::Boolean' ? 0 + $_ : $_ } %{ $case->{options} } );
        is_deeply { %default, %{ $got // {} } }, \%wanted, "case: $case->{name}";
    }
};

subtest 'passwords answer challenges' => sub {
    for my $case ( cases('logins') ) {
        my @given = map { pack 'H*', $case->{$_} } qw(password challenge);
        is unpack( 'H*', HandlerSocket2::Protocol::native_password(@given) ), $case->{response},
            "case: $case->{name}";
    }
};

subtest 'types have their kinds' => sub {
    is HandlerSocket2::Values::kind_of( $_->{type} ), $_->{kind}, "case: $_->{name}"
        for cases('types');
};

subtest 'reads wait for the highest GTIDs' => sub {
    for my $case ( cases('gtids') ) {
        my $known = HandlerSocket2::Gtids->new;
        $known->note($_) for @{ $case->{told} };
        is_deeply [ sort split /,/, $known->all ], [ sort @{ $case->{known} } ], $case->{name};
    }
};

done_testing;
