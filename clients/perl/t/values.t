# Perl's values and those of columns.
use 5.030;
use warnings;
use utf8;

use JSON::PP       ();
use Math::BigFloat ();
use Math::BigInt   ();
use Test::More;
use Time::Piece ();

use HandlerSocket2;

sub sent { return HandlerSocket2::Values::to_bytes( $_[0], $_[1] // 'text' ) }

my $printed = 0.1 + 0.2;
my $text    = "$printed";
my @cases   = (
    [ 'an integer',             7,                             '7' ],
    [ 'the smallest',           -9223372036854775808,          '-9223372036854775808' ],
    [ 'the largest',            18446744073709551615,          '18446744073709551615' ],
    [ 'a tenth',                0.1,                           '0.1' ],
    [ 'all digits of a number', 0.1 + 0.2,                     '0.30000000000000004' ],
    [ 'also when it was text',  $printed,                      '0.30000000000000004' ],
    [ 'many whole digits',      100000000000000.25,            '100000000000000.25' ],
    [ 'a power of two',         2**60,                         '1152921504606846976' ],
    [ 'the text of a number',   '0.10',                        '0.10' ],
    [ 'the text inf',           'inf',                         'inf' ],
    [ 'true',                   !!1,                           '1' ],
    [ 'false',                  !!0,                           '0' ],
    [ 'the empty text',         q{},                           q{} ],
    [ 'true of JSON',           JSON::PP::true(),              '1' ],
    [ 'false of JSON',          JSON::PP::false(),             '0' ],
    [ 'text',                   'é',                           "\xc3\xa9" ],
    [ 'a byte for text',        "\xe9",                        "\xc3\xa9" ],
    [ 'bytes by a reference',   \"\xe9",                       "\xe9" ],
    [ 'a large integer',        Math::BigInt->new( '9' x 30 ), '9' x 30 ],
    [ 'a decimal',              Math::BigFloat->new('1.50'),   '1.5' ],
    [   'a time', Time::Piece->strptime( '2024-02-29 01:02:03', '%Y-%m-%d %H:%M:%S' ),
        '2024-02-29 01:02:03'
    ],
);

subtest 'values are sent as SQL writes them' => sub {
    for my $case (@cases) {
        my ( $name, $value, $wanted ) = @$case;
        my $got = sent($value);
        ok $got eq $wanted || $got == $wanted && $wanted !~ /[^0-9]/, "$name: $got";
    }
    is sent(undef),                  undef,       'NULL';
    is sent( "\xe9\x{0}", 'bytes' ), "\xe9\x{0}", 'bytes are bytes';
};

subtest 'numbers read back the same' => sub {
    srand 7;
    my @numbers = (
        1e300, 5e-324, 1.7976931348623157e308,
        map { ( rand() - 0.5 ) * 10**( rand(600) - 300 ) } 1 .. 500
    );
    is scalar( grep { sent($_) != $_ } @numbers ), 0, 'all of them';
};

subtest 'what cannot be sent is refused' => sub {
    my $inf = 9**9**9;
    for my $value ( $inf, -$inf, $inf - $inf, [], {}, sub { }, "\x{d800}", Math::BigInt->bnan ) {
        eval { sent($value) };
        isa_ok $@, 'HandlerSocket2::ValueError', ref $value || 'a value';
    }
    eval { sent( "\x{263a}", 'bytes' ) };
    isa_ok $@, 'HandlerSocket2::ValueError', 'a character that is no byte';
};

subtest 'values come as their kind' => sub {
    my @given = ( '18446744073709551615', '-9223372036854775808', '0042', undef, '-5' );
    my $rows  = HandlerSocket2::Values::row_maker( ['a'], ['integer'] )->( \@given );
    is_deeply [ map { $_->{a} } @$rows ],
        [ 18446744073709551615, -9223372036854775808, 42, undef, -5 ], 'integers';
    my @both = ( "\xc3\xa9", "\xc3\xa9" );
    $rows = HandlerSocket2::Values::row_maker( [ 't', 'b' ], [ 'text', 'bytes' ] )->( \@both );
    is_deeply $rows, [ { t => 'é', b => "\xc3\xa9" } ], 'text and bytes';
    eval { HandlerSocket2::Values::integer('x') };
    isa_ok $@, 'HandlerSocket2::ProtocolError', 'an integer that is none';
};

subtest 'an error tells the place of the call' => sub {
    eval { HandlerSocket2->connect('http://x') };
    like "$@", qr/\Athe URL .* at \Q@{[__FILE__]}\E line [0-9]+/, 'in the program';
};

done_testing;
