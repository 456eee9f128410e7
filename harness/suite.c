// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "words.h"

#define MAX_CASES 10000
#define BLANKS " \t\r\n\v\f"

/* Cuts text into words, "bench" before them. The words point into text. */
static char **words_of(char *text, int *n)
{
	char **words = calloc(strlen(text) / 2 + 3, sizeof(*words));
	char *rest, *word;

	if (!words)
		return NULL;
	words[0] = (char *)"bench";
	*n = 1;
	for (word = strtok_r(text, BLANKS, &rest); word; word = strtok_r(NULL, BLANKS, &rest))
		words[(*n)++] = word;
	return words;
}

/* A row without braces. Takes over the text. */
static int add_case(struct suite *suite, const struct options *options, char *text)
{
	struct suite_case *added;
	int n;

	if (suite->n == MAX_CASES) {
		free(text);
		return error_set(E_USAGE, "more than %d cases", MAX_CASES);
	}
	added = array_with_room(suite->cases, suite->n, &suite->room, sizeof(*added));
	if (!added) {
		free(text);
		return error_set(ENOMEM, "no memory for %zu cases", suite->n + 1);
	}
	suite->cases = added;
	added = &suite->cases[suite->n++];
	memset(added, 0, sizeof(*added));
	added->text = text;
	added->words = words_of(text, &n);
	if (!added->words)
		return error_set(ENOMEM, "no memory for a case");
	return options_parse_row(n, added->words, options, &added->options);
}

static bool is_in(const struct suite *suite, const struct bench *bench)
{
	for (size_t i = 0; i < suite->n; i++) {
		if (suite->cases[i].options.bench == bench)
			return true;
	}
	return false;
}

/* Does a row have "*" in place of a name? */
static bool is_for_the_rest(const char *text)
{
	return text[0] == '*' && (!text[1] || strchr(BLANKS, text[1]));
}

/* One case of every benchmark that has none yet. Takes over the text. */
static int add_the_rest(struct suite *suite, const struct options *options, char *text)
{
	int err = 0;

	for_each_bench(bench) {
		char *row = NULL;

		if (err || is_in(suite, bench))
			continue;
		if (asprintf(&row, "%s%s", bench->name, text + 1) < 0)
			err = error_set(ENOMEM, "no memory for a row");
		else
			err = add_case(suite, options, row);
		if (err)
			error_prefix(err, "%s", bench->name);
	}
	free(text);
	return err;
}

/* The text with what is from `open` to `close` replaced; the caller frees it. */
static char *with_choice(const char *text, const char *open, const char *close, const char *choice,
			 size_t len)
{
	char *row;

	return asprintf(&row, "%.*s%.*s%s", (int)(open - text), text, (int)len, choice, close + 1) <
			       0
		       ? NULL
		       : row;
}

/* All rows that a row with braces stands for. Takes over the text. */
static int expand(struct suite *suite, const struct options *options, char *text)
{
	const char *open = strchr(text, '{'), *close = strchr(text, '}'), *choice;
	int err = 0;

	if (!open && !close)
		return is_for_the_rest(text) ? add_the_rest(suite, options, text)
					     : add_case(suite, options, text);
	if (!open || !close || close < open || memchr(open + 1, '{', (size_t)(close - open - 1)))
		err = error_set(E_USAGE, "braces that do not match, or one pair in another: %s",
				quoted(text));

	for (choice = open; !err && choice < close;) {
		size_t len = strcspn(++choice, ",}");
		char *row = with_choice(text, open, close, choice, len);

		if (!len && row)
			err = error_set(E_USAGE, "an empty choice in %s", quoted(text));
		if (!row)
			err = error_set(ENOMEM, "no memory for a row");
		if (err)
			free(row);
		else
			err = expand(suite, options, row);
		choice += len;
	}
	free(text);
	return err;
}

/* A "#" inside of a word belongs to it. */
static void cut_comment(char *line)
{
	for (char *at = strchr(line, '#'); at; at = strchr(at + 1, '#')) {
		if (at == line || strchr(BLANKS, at[-1]))
			*at = '\0';
	}
}

static int read_row(struct suite *suite, const struct options *options, char *line, size_t len)
{
	char *row;

	if (strlen(line) != len)
		return error_set(E_USAGE, "not a text: it has a NUL in it");
	line[strcspn(line, "\n")] = '\0';
	cut_comment(line);
	if (!line[strspn(line, BLANKS)])
		return 0;
	row = strdup(line + strspn(line, BLANKS));
	return row ? expand(suite, options, row) : error_set(ENOMEM, "no memory for a row");
}

static int read_rows(FILE *file, const struct options *options, struct suite *suite)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &size, file)) >= 0) {
		number++;
		err = read_row(suite, options, line, (size_t)len);
		if (err)
			error_prefix(err, "%s:%u", options->suite_path, number);
	}
	free(line);
	if (err)
		return err;
	if (ferror(file))
		return error_set(E_USAGE, "cannot read the suite %s: %s", options->suite_path,
				 strerror(errno));
	if (!suite->n)
		return error_set(E_USAGE, "%s: no case in it", options->suite_path);
	return 0;
}

int suite_read(const struct options *options, struct suite *suite)
{
	bool is_stdin = !strcmp(options->suite_path, "-");
	FILE *file = is_stdin ? stdin : fopen(options->suite_path, "re");
	int err;

	memset(suite, 0, sizeof(*suite));
	if (!file)
		return error_set(E_USAGE, "cannot open the suite %s: %s", options->suite_path,
				 strerror(errno));
	err = read_rows(file, options, suite);
	if (!is_stdin)
		fclose(file);
	return err;
}

void suite_free(struct suite *suite)
{
	for (size_t i = 0; i < suite->n; i++) {
		options_free(&suite->cases[i].options);
		free(suite->cases[i].words);
		free(suite->cases[i].text);
	}
	free(suite->cases);
	memset(suite, 0, sizeof(*suite));
}
