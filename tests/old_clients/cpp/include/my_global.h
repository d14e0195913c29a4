// Stands in for the server's header of this name, of which libhsclient needs the system's headers
// alone: so it builds without the server's, whose macros get in the way of Perl's.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#define SOCKET_SIZE_TYPE socklen_t
