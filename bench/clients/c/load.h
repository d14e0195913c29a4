/* What the programs for C and C++ have in common, and what each has of its own. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BATCH = 100, VALUE = 60 };

extern int port, count; /* the server's, and how many keys are looked up at a time */

/* Ends the program when something is not good. */
void need(int good, const char *what);

/* Keeps a value that has come. */
void take(char *value, const char *data, size_t size);

/* This client: what all threads have in common, what a thread has, and the values of `count` keys. */
void ours_prepare(void);
void *ours_open(void);
void ours_look_up(void *state, const int *keys, char values[][VALUE + 1]);

#ifdef __cplusplus
}
#endif
#endif
