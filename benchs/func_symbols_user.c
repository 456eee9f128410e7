// SPDX-License-Identifier: GPL-2.0
/* Functions of a program or library, from its symbol tables. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "func_spec.h"
#include "harness/array.h"
#include "harness/words.h"

struct symbol {
	const char *name; /* in the file, which is open */
	u64 offset;
};

struct symbols {
	struct symbol *symbols;
	size_t n, room;
	/*
	 * Where the program begins. Nothing calls that, and so there is no return address on the stack: a
	 * return probe would write over the number of arguments, which is in its place.
	 */
	bool has_entry;
	u64 entry;
};

static int add_symbol(struct symbols *symbols, const char *name, u64 offset)
{
	struct symbol *more =
		array_with_room(symbols->symbols, symbols->n, &symbols->room, sizeof(*more));

	if (!more)
		return error_set(ENOMEM, "no memory for symbols");
	symbols->symbols = more;
	symbols->symbols[symbols->n++] = (struct symbol){ .name = name, .offset = offset };
	return 0;
}

/* A probe wants a place in the file, a symbol has one in memory: the segment there says both. */
static bool file_offset(Elf *elf, u64 address, u64 *offset)
{
	GElf_Phdr segment;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct symbols *symbols)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	int err = 0;

	for (size_t i = 0; data && i < n && !err; i++) {
		const char *name;
		GElf_Sym symbol;
		u64 offset;

		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && *name && file_offset(elf, symbol.st_value, &offset))
			err = add_symbol(symbols, name, offset);
	}
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

/* Sorted; a symbol that both tables have is there once. */
static int read_symbols(Elf *elf, struct symbols *symbols)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr elf_header;
	size_t kept = 0;
	GElf_Shdr header;
	int err = 0;

	symbols->has_entry = gelf_getehdr(elf, &elf_header) &&
			     file_offset(elf, elf_header.e_entry, &symbols->entry);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			err = read_table(elf, section, &header, symbols);
	}
	if (err || !symbols->n)
		return err;
	qsort(symbols->symbols, symbols->n, sizeof(*symbols->symbols), by_name);
	for (size_t i = 1; i < symbols->n; i++) {
		if (by_name(&symbols->symbols[kept], &symbols->symbols[i]))
			symbols->symbols[++kept] = symbols->symbols[i];
	}
	symbols->n = kept + 1;
	return 0;
}

static int not_there(const struct func_spec *spec, const struct symbols *symbols)
{
	const char *nearest = NULL;
	size_t best = SIZE_MAX;

	if (!symbols->n)
		return error_set(E_USAGE,
				 "--func: %s has no symbols of functions (stripped?), and so no %s",
				 quoted(spec->path), quoted(spec->function));
	if (spec->is_pattern)
		return error_set(E_USAGE, "--func: no function of %s matches %s",
				 quoted(spec->path), quoted(spec->function));
	for (size_t i = 0; i < symbols->n; i++) {
		if (is_nearer(spec->function, symbols->symbols[i].name, &best))
			nearest = symbols->symbols[i].name;
	}
	if (nearest)
		return error_set(E_USAGE, "--func: %s has no function %s, did you mean %s?",
				 quoted(spec->path), quoted(spec->function), quoted(nearest));
	return error_set(E_USAGE,
			 "--func: %s has no function %s: misspelt, or inlined by the compiler",
			 quoted(spec->path), quoted(spec->function));
}

static bool is_one_of_several(const struct symbols *symbols, size_t i)
{
	const struct symbol *symbol = &symbols->symbols[i];

	return (i > 0 && !strcmp(symbol->name, symbol[-1].name)) ||
	       (i + 1 < symbols->n && !strcmp(symbol->name, symbol[1].name));
}

static int add_matches(const struct func_spec *spec, const char *path,
		       const struct symbols *symbols, struct func_targets *targets)
{
	size_t nr_before = targets->n;
	int err = 0;

	for (size_t i = 0; i < symbols->n && !err; i++) {
		const struct symbol *symbol = &symbols->symbols[i];
		struct func_target found = {
			.path = (char *)path,
			.function = (char *)symbol->name,
			.offset = symbol->offset,
		};

		if (spec->is_pattern ? fnmatch(spec->function, symbol->name, 0)
				     : strcmp(spec->function, symbol->name))
			continue;
		if (symbols->has_entry && symbol->offset == symbols->entry) {
			if (spec->is_pattern)
				continue;
			return error_set(E_USAGE,
					 "--func: %s is where %s begins: nothing calls it, and it "
					 "does not return",
					 quoted(symbol->name), quoted(spec->path));
		}
		if (is_one_of_several(symbols, i)) {
			/* In a pattern it is not what was asked for by name. */
			if (spec->is_pattern)
				continue;
			return error_set(E_USAGE,
					 "--func: %s has several functions %s: the name does not "
					 "say which",
					 quoted(spec->path), quoted(symbol->name));
		}
		err = func_targets_add(targets, spec, &found);
	}
	if (!err && targets->n == nr_before)
		err = not_there(spec, symbols);
	return err;
}

static int find_in(const struct func_spec *spec, const char *path, int fd,
		   struct func_targets *targets)
{
	struct symbols symbols = {};
	Elf *elf = NULL;
	int err;

	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return error_set(E_USAGE, "--func: %s is no program and no library (not ELF)",
				 quoted(spec->path));
	}
	err = read_symbols(elf, &symbols);
	if (!err)
		err = add_matches(spec, path, &symbols, targets);
	free(symbols.symbols);
	elf_end(elf);
	return err;
}

int func_find_user(const struct func_spec *spec, struct func_targets *targets)
{
	struct stat status;
	char *path;
	int fd, err;

	fd = open(spec->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(E_USAGE, "--func: cannot open %s: %s", quoted(spec->path),
				 strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return error_set(E_USAGE, "--func: %s is not a file", quoted(spec->path));
	}
	path = realpath(spec->path, NULL);
	if (path)
		err = find_in(spec, path, fd, targets);
	else
		err = error_set(errno, "--func: %s: %s", quoted(spec->path), strerror(errno));
	free(path);
	close(fd);
	return err;
}
