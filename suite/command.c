// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/plan.h"
#include "../harness/suite.h"
#include "../report/json.h"
#include "../report/suite_text.h"

static int run_plan(struct plan *plan, const struct options *options, int *status)
{
	struct output *json = NULL;
	int err = 0, text_err, json_err = 0;
	char why[1024];

	if (options->json_path)
		err = output_open(options->json_path, &json);
	if (err)
		return err;
	err = plan_run(plan, suite_text_progress, NULL);
	if (plan_signal(plan))
		*status = 128 + plan_signal(plan);
	plan_read_host(plan);
	snprintf(why, sizeof(why), "%s", err ? error_text() : "");
	text_err = suite_text_result(options_json_on_stdout(options) ? stderr : stdout, plan);
	if (json)
		json_err = json_write_plan(json, plan);
	if (err)
		error_set(0, "%s", why);
	return err ? err : text_err ? text_err : json_err;
}

int suite_command(const struct options *options, int *status)
{
	const struct options **cases = NULL;
	struct suite suite = {};
	struct plan plan = {};
	int err = 0;

	if (options->json_path)
		err = output_is_no_input(options->json_path, options->suite_path);
	if (!err)
		err = suite_read(options, &suite);
	if (!err) {
		cases = calloc(suite.n, sizeof(*cases));
		err = cases ? 0 : error_set(ENOMEM, "no memory for %zu cases", suite.n);
	}
	for (size_t i = 0; i < suite.n && !err; i++)
		cases[i] = &suite.cases[i].options;
	if (!err)
		err = plan_init(&plan, options, cases, suite.n);
	if (!err)
		err = run_plan(&plan, options, status);
	plan_free(&plan);
	free(cases);
	suite_free(&suite);
	return err;
}
