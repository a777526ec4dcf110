// A plugin of qemu that counts how often each block of instructions is executed between
// two functions of the program. Its arguments, all but the last in decimal:
//
//	text=ADDRESS,size=BYTES   the program's code
//	begin=ADDRESS,end=ADDRESS the two functions
//	out=PATH                  the file to write
//
// The file has a line for each block that was executed between the two functions: the number
// of its first instruction, counted from the beginning of the code; of its instructions; and
// of the times. A line "end" follows the blocks of each round.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// From qemu's interface for plugins, version 1.
struct qemu_plugin_tb;
typedef void on_block(uint64_t id, struct qemu_plugin_tb *);
typedef void on_execution(unsigned processor, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, on_block *);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, on_execution *, int flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *counter, uint64_t summand);
enum { no_registers = 0, add = 0 };

int qemu_plugin_version = 1;

static uint64_t text, size, begin, end;
static uint64_t *executed, *length; // of the block that begins at an instruction
static FILE *out;

static void begin_round(unsigned processor, void *data)
{
	memset(executed, 0, size / 4 * sizeof *executed);
}

static void end_round(unsigned processor, void *data)
{
	for (uint64_t i = 0; i < size / 4; i++)
		if (executed[i])
			fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i, length[i], executed[i]);
	fprintf(out, "end\n");
	fflush(out);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
	uint64_t address = qemu_plugin_tb_vaddr(block), i = (address - text) / 4;
	if (address < text || address >= text + size)
		return;
	if (address == begin)
		qemu_plugin_register_vcpu_tb_exec_cb(block, begin_round, no_registers, NULL);
	if (address == end)
		qemu_plugin_register_vcpu_tb_exec_cb(block, end_round, no_registers, NULL);
	length[i] = qemu_plugin_tb_n_insns(block);
	qemu_plugin_register_vcpu_tb_exec_inline(block, add, &executed[i], 1);
}

int qemu_plugin_install(uint64_t id, const void *info, int count, char **arguments)
{
	for (int i = 0; i < count; i++) {
		char *value = strchr(arguments[i], '=');
		if (!value)
			return 1;
		*value++ = 0;
		if (!strcmp(arguments[i], "text"))
			text = strtoull(value, NULL, 10);
		else if (!strcmp(arguments[i], "size"))
			size = strtoull(value, NULL, 10);
		else if (!strcmp(arguments[i], "begin"))
			begin = strtoull(value, NULL, 10);
		else if (!strcmp(arguments[i], "end"))
			end = strtoull(value, NULL, 10);
		else if (!strcmp(arguments[i], "out"))
			out = fopen(value, "w");
	}
	executed = calloc(size / 4 + 1, sizeof *executed);
	length = calloc(size / 4 + 1, sizeof *length);
	if (!out || !executed || !length)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
