// Stands in for the server's header of this name, of which libhsclient needs alloca() alone.
#pragma once
#include <alloca.h>
