// SPDX-License-Identifier: GPL-2.0
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool all_digits(const char *text)
{
	return text[0] && text[strspn(text, DIGITS)] == '\0';
}

int parse_u64(const char *text, u64 *value)
{
	u64 sum = 0;

	/* A negative number is a number that somebody meant: tell it apart from nonsense. */
	if (text[0] == '-' && all_digits(text + 1))
		return -ERANGE;
	if (!all_digits(text))
		return -EINVAL;
	for (; *text; text++) {
		if (__builtin_mul_overflow(sum, (u64)10, &sum) ||
		    __builtin_add_overflow(sum, (u64)(*text - '0'), &sum))
			return -ERANGE;
	}
	*value = sum;
	return 0;
}

bool parse_decimal(const char *text, size_t len, double *value)
{
	char digits[32];

	if (!len || len >= sizeof(digits) || strspn(text, "0123456789.") < len)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	if (!strpbrk(digits, "0123456789") || strchr(digits, '.') != strrchr(digits, '.'))
		return false;
	*value = strtod(digits, NULL);
	return true;
}

#define QUOTED_MAX 64
#define QUOTED_SLOTS 4

void make_printable(char *text)
{
	for (; *text; text++)
		*text = printable(*text);
}

size_t cut_at(const char *text, size_t len)
{
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

const char *quoted(const char *text)
{
	static _Thread_local char slots[QUOTED_SLOTS][QUOTED_MAX + sizeof("''...")];
	static _Thread_local unsigned int next;
	char *slot = slots[next++ % QUOTED_SLOTS];
	size_t len = strnlen(text, QUOTED_MAX + 1);
	bool cut = len > QUOTED_MAX;
	char *out = slot;

	if (cut)
		len = cut_at(text, QUOTED_MAX);
	*out++ = '\'';
	for (size_t i = 0; i < len; i++)
		*out++ = printable(text[i]);
	strcpy(out, cut ? "...'" : "'");
	return slot;
}

void join_word(char *buf, size_t size, const char *word)
{
	static const char dots[] = "...";
	size_t used = strlen(buf);
	const char *comma = used ? ", " : "";

	if (used >= strlen(dots) && !strcmp(buf + used - strlen(dots), dots))
		return;
	/* With every word, room is kept for the comma and the dots that may have to follow. */
	if (used + strlen(comma) + strlen(word) + strlen(", ...") >= size)
		word = dots;
	snprintf(buf + used, size - used, "%s%s", comma, word);
}

/* Longer words are no typing errors, and a fixed limit keeps the rows on the stack. */
#define WORD_MAX 64

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *a, const char *b)
{
	/* Distances between the first i letters of a and every start of b, for i, i - 1, i - 2. */
	size_t rows[3][WORD_MAX + 1];
	size_t len_a = strlen(a), len_b = strlen(b);

	if (len_a > WORD_MAX || len_b > WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= len_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *swap = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			row[j] = min_size(above[j], row[j - 1]) + 1;
			row[j] = min_size(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min_size(row[j], swap[j - 2] + 1);
		}
	}
	return rows[len_a % 3][len_b];
}

bool is_nearer(const char *word, const char *candidate, size_t *best)
{
	size_t distance = edit_distance(word, candidate);

	/* One slip in a short word, and one more for every four letters. */
	if (distance > 1 + strlen(word) / 4 || distance >= *best)
		return false;
	/* With every letter replaced, nothing of the word is left that could have been meant. */
	if (distance >= strlen(word) || distance >= strlen(candidate))
		return false;
	*best = distance;
	return true;
}
