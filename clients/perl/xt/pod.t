# Every module has a page, which is well formed and tells of everything that can be called.
use 5.030;
use warnings;

use Test::More;
use Test::Pod;
use Test::Pod::Coverage;

pod_file_ok($_)     for all_pod_files('lib');
pod_coverage_ok($_) for all_modules('lib');

done_testing;
