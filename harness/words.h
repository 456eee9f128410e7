/* SPDX-License-Identifier: GPL-2.0 */
/* What a person typed: reading it strictly, showing it back safely, guessing what was meant. */
#ifndef HARNESS_WORDS_H
#define HARNESS_WORDS_H

#include "util.h"

/*
 * A number of plain decimal digits and nothing else: no sign, blank, exponent or prefix.
 * -EINVAL if the text is none, -ERANGE if it is negative or beyond a u64. No text is set.
 */
int parse_u64(const char *text, u64 *value);

/* A number in plain decimal notation, of the first `len` characters and nothing else. */
bool parse_decimal(const char *text, size_t len, double *value);

/* A character of a line: what would move a cursor or end the line becomes '?'. */
static inline char printable(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

/* All of a text, in place. */
void make_printable(char *text);

/* The first `len` bytes of a longer text, or a few less: where to cut it, not inside a UTF-8 character. */
size_t cut_at(const char *text, size_t len);

/*
 * The text in quotes, fit for one line: control characters become '?' and a long text is cut.
 * Valid for this thread until the fourth call from here.
 */
const char *quoted(const char *text);

/* Append "word" to a list such as "a, b" in buf; what does not fit becomes "...". */
void join_word(char *buf, size_t size, const char *word);

/*
 * How many letters must be inserted, removed, replaced or swapped with their neighbour to make
 * one word the other; SIZE_MAX for words too long to be typing errors of each other.
 */
size_t edit_distance(const char *a, const char *b);

/*
 * For a search among many words: is `word` a likely typing error of `candidate`, and more so than
 * of the candidates before? *best starts as SIZE_MAX and is updated.
 */
bool is_nearer(const char *word, const char *candidate, size_t *best);

#endif
