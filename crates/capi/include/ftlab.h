/* A drive of ftlab for C and C++: link with -lftlab_device. Made by cbindgen of crates/capi. */

#ifndef FTLAB_H
#define FTLAB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// What a call came to.
typedef enum {
  // It is done.
  FTLAB_STATUS_OK = 0,
  // A pointer is null, or a text is not UTF-8.
  FTLAB_STATUS_ARGUMENT = 1,
  // There is no such drive, testbed or state, or a setting is wrong.
  FTLAB_STATUS_DRIVE = 2,
  // A command does not fit the drive, or its id is outstanding.
  FTLAB_STATUS_COMMAND = 3,
  // Time would go back, or past something that happens at the drive: advance it there first.
  FTLAB_STATUS_PAST = 4,
  // The device keeps no data, or no account of power cuts.
  FTLAB_STATUS_NOT_KEPT = 5,
  // The drive has lost what lies there.
  FTLAB_STATUS_UNREADABLE = 6,
  // A fault of ftlab itself: please report it. The handle can only be freed.
  FTLAB_STATUS_PANIC = 7,
} FtlabStatus;

// What a command asks for.
typedef enum {
  // Data come to the host.
  FTLAB_OPERATION_READ = 0,
  // Data go to the drive.
  FTLAB_OPERATION_WRITE = 1,
  // The drive may forget a range.
  FTLAB_OPERATION_TRIM = 2,
  // What was written to a range survives a power cut; of no length, everything written so far.
  FTLAB_OPERATION_FLUSH = 3,
} FtlabOperation;

// How a command ended.
typedef enum {
  // The drive did what was asked, or a fault has it say so.
  FTLAB_OUTCOME_GOOD = 0,
  // The drive takes no more writes, or a fault has refused this command; what the drive holds stays readable.
  FTLAB_OUTCOME_WRITE_FAULT = 1,
  // The data could not be read back, or a fault has it say so.
  FTLAB_OUTCOME_UNRECOVERABLE = 2,
  // The drive did not answer, and the host gave the command up.
  FTLAB_OUTCOME_GONE = 3,
} FtlabOutcome;

// What goes wrong in the flash.
typedef enum {
  // A block wears out: its next erase fails, or a program.
  FTLAB_FAULT_BAD_BLOCK = 0,
  // Data at a position are beyond what ECC corrects.
  FTLAB_FAULT_UNREADABLE = 1,
  // A die fails.
  FTLAB_FAULT_DIE = 2,
  // All blocks wear out.
  FTLAB_FAULT_END_OF_LIFE = 3,
} FtlabFault;

// A device that is being described.
typedef struct FtlabBuilder FtlabBuilder;

// A drive in virtual time.
typedef struct FtlabDevice FtlabDevice;

// A command of the host.
typedef struct {
  // Chosen by the caller; comes back with the end. No two that are outstanding have the same.
  uint64_t id;
  // First byte of the range, a multiple of 512.
  uint64_t offset;
  // Length of the range in bytes, a multiple of 512.
  uint64_t bytes;
  // What it asks for, an `FtlabOperation`.
  uint32_t operation;
} FtlabCommand;

// The end of a command.
typedef struct {
  // Id of the command that ended.
  uint64_t id;
  // Instant at which the host saw it end, in nanoseconds.
  uint64_t at_ns;
  // Success or the reason of failure, an `FtlabOutcome`.
  uint32_t outcome;
  // A fault may flip a bit of a read on its way to the host: this is the bit's number in its byte, 0 to 7 from the lowest,
  uint32_t flip_bit;
  // and this the byte's position on the drive; `UINT64_MAX` if no bit was flipped. `ftlab_receive` gives the data with it.
  uint64_t flip_offset;
  // Where its latency went, if `ftlab_split_latencies` asked for that and the drive is of flash; all 0 if not. The four
  // together are all of it: the host (queue, processor, limits of the port, what a fault has held back),
  uint64_t host_ns;
  // the drive's controller with the mapping table,
  uint64_t controller_ns;
  // the link between them,
  uint64_t link_ns;
  // and the flash with what waits for its dies, or for room in the write buffer.
  uint64_t flash_ns;
} FtlabCompletion;

// What a power cut has come to.
typedef struct {
  // Slots of which a volatile buffer held something.
  uint64_t volatile_slots;
  // Bytes whose newest version is lost.
  uint64_t lost_bytes;
  // Bytes of those that are made of the newest version and an older one.
  uint64_t torn_bytes;
  // Commands that were outstanding, of which nobody will hear.
  uint64_t outstanding;
} FtlabPowerCut;

// Counts of a drive since it was made.
typedef struct {
  // Bytes that the host wrote, as far as they have left the write buffer.
  uint64_t host_bytes_written;
  // Bytes of the pages that were programmed. Divided by the former they are its write amplification.
  uint64_t nand_bytes_programmed;
  // Pages that were read, for whatever reason.
  uint64_t nand_reads;
  // Pages that were programmed.
  uint64_t nand_programs;
  // Blocks that were erased.
  uint64_t nand_erases;
  // Hash over the flash operations in issue order.
  uint64_t operations_hash;
  // Hash over the ends of commands, in order; `ftlab run` has the same as `completion_hash`.
  uint64_t completions_hash;
} FtlabCounters;

// What came of a fault of requests.
typedef struct {
  // Its number, to end it by.
  uint32_t number;
  // 1 if it is over, and 0 if not.
  uint32_t is_over;
  // Requests that it was about.
  uint64_t concerned;
  // Requests with which something went wrong.
  uint64_t hits;
} FtlabRequestFault;

// An attribute of SMART.
typedef struct {
  // Its number.
  uint8_t id;
  // 100 at first, less as it gets worse.
  uint8_t value;
  // The value at which the drive calls itself failing; 0 for never.
  uint8_t threshold;
  // The raw value, in the unit of the drive's maker.
  uint64_t raw;
} FtlabSmart;

// NVMe's log page SMART / Health Information, in the standard's units.
typedef struct {
  // Bits for low spare, heat and a drive that is only read; 0 while all is well.
  uint8_t critical_warning;
  // Degrees Celsius.
  int32_t celsius;
  // Percent of the spare blocks that are left.
  uint8_t available_spare;
  // Percent of the rated cycles that the mean block has had; 255 at most.
  uint8_t percentage_used;
  // Thousands of 512 bytes that the host read.
  uint64_t data_units_read;
  // Thousands of 512 bytes that the host wrote.
  uint64_t data_units_written;
  // Times that the drive was switched on.
  uint64_t power_cycles;
  // Times that the power went while it was on.
  uint64_t unsafe_shutdowns;
  // Reads that could not be corrected.
  uint64_t media_errors;
} FtlabNvmeHealth;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Describes a drive of the catalogue, by its name or a part of that which no other has. Null if the name is null or not
// UTF-8; whether there is such a drive, `ftlab_build` says. Free it with `ftlab_builder_free`.
//
// # Safety
// `name` is a text that ends with a zero.
FtlabBuilder *ftlab_named(const char *name);

// Describes the drive of a drive file's text; `name` stands for the file in errors.
//
// # Safety
// Both are texts that end with a zero.
FtlabBuilder *ftlab_of_text(const char *name, const char *file);

// Changes a number of the drive file: `gc.policy=fifo`.
//
// # Safety
// `builder` is of `ftlab_named` or `ftlab_of_text`, and `key_value` a text that ends with a zero.
FtlabStatus ftlab_set(FtlabBuilder *builder, const char *key_value);

// Puts the drive on another machine: `spdk-2024`, or the text of a testbed file.
//
// # Safety
// The caller promises what `ftlab_set` asks for.
FtlabStatus ftlab_testbed(FtlabBuilder *builder, const char *name_or_text);

// Brings the drive to a state before its time begins: `filled`, `used`, `steady-fast` …
//
// # Safety
// The caller promises what `ftlab_set` asks for.
FtlabStatus ftlab_state(FtlabBuilder *builder, const char *name);

// Has something go wrong with requests, in the words of `ftlab fault`: `error once --on flush`, `drop-flush --after 3`,
// `misdirect --by 4k`. Each call adds one, behind those of the drive file. Whether it can be, `ftlab_build` says.
//
// # Safety
// The caller promises what `ftlab_set` asks for.
FtlabStatus ftlab_fault(FtlabBuilder *builder,
                        const char *words);

// Takes the drive in a form of at most N bytes, with smaller blocks.
//
// # Safety
// `builder` is of `ftlab_named` or `ftlab_of_text`.
void ftlab_shrink_to(FtlabBuilder *builder, uint64_t bytes);

// Takes another seed than 1.
//
// # Safety
// The caller promises what `ftlab_shrink_to` asks for.
void ftlab_seed(FtlabBuilder *builder, uint64_t seed);

// Has the drive follow what a power cut would take, without bytes.
//
// # Safety
// The caller promises what `ftlab_shrink_to` asks for.
void ftlab_track_power_cuts(FtlabBuilder *builder);

// Has the drive carry bytes.
//
// # Safety
// The caller promises what `ftlab_shrink_to` asks for.
void ftlab_keep_data(FtlabBuilder *builder);

// Has each completion say where its latency went.
//
// # Safety
// The caller promises what `ftlab_shrink_to` asks for.
void ftlab_split_latencies(FtlabBuilder *builder);

// Builds the device. The description stays, and can be built again.
//
// # Safety
// `builder` is of `ftlab_named` or `ftlab_of_text`, and there is room for a pointer at `device`.
FtlabStatus ftlab_build(FtlabBuilder *builder, FtlabDevice **device);

// What the last call with this description did wrong; empty if nothing.
//
// # Safety
// `builder` is of `ftlab_named` or `ftlab_of_text`. The text is there until the next call with it.
const char *ftlab_builder_error(const FtlabBuilder *builder);

// Frees a description; null is nothing.
//
// # Safety
// It is not used again.
void ftlab_builder_free(FtlabBuilder *builder);

// Takes a command at the present, `now_ns`. To a device that keeps data, a write comes with `ftlab_submit_write`.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`, and `command` points to one.
FtlabStatus ftlab_submit(FtlabDevice *device,
                         const FtlabCommand *command,
                         uint64_t now_ns);

// Takes a write with its data, as many as the command has bytes.
//
// # Safety
// `device` and `command` are as `ftlab_submit` asks for, and `data` points to as many bytes as the command has.
FtlabStatus ftlab_submit_write(FtlabDevice *device,
                               const FtlabCommand *command,
                               const uint8_t *data,
                               uint64_t now_ns);

// The earliest instant at which something happens; `UINT64_MAX` if nothing will.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`.
uint64_t ftlab_next_event(const FtlabDevice *device);

// The present: the latest instant that the device was given.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
uint64_t ftlab_now_ns(const FtlabDevice *device);

// Lets everything at or before `now_ns` happen. What ended is there for `ftlab_completions`.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
FtlabStatus ftlab_advance(FtlabDevice *device, uint64_t now_ns);

// Lets things happen up to the first instant at which something ends, but nothing after `limit_ns`: the same as
// `ftlab_advance` from event to event, in one call.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
FtlabStatus ftlab_advance_to_completion(FtlabDevice *device,
                                        uint64_t limit_ns);

// Takes what has ended, in order, up to `room` of it; gives how much.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for, and room for `room` completions at `into`.
size_t ftlab_completions(FtlabDevice *device, FtlabCompletion *into, size_t room);

// Reads what the drive holds, without time: of a read, when it ends.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for, and room for `bytes` bytes at `into`.
FtlabStatus ftlab_read(FtlabDevice *device, uint64_t offset, uint8_t *into, size_t bytes);

// Gives the data of a read that has ended, as `ftlab_completions` gave its end: what `ftlab_read` does, with the bit that a
// fault has flipped on the way. The range is the read's, or a part of it.
//
// # Safety
// The caller promises what `ftlab_read` asks for, and `end` points to a completion.
FtlabStatus ftlab_receive(FtlabDevice *device,
                          const FtlabCompletion *end,
                          uint64_t offset,
                          uint8_t *into,
                          size_t bytes);

// Cuts the power at `now_ns`, and switches the drive on again at the same instant. `cut` may be null.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for, and room for the result at `cut`.
FtlabStatus ftlab_power_cut(FtlabDevice *device,
                            uint64_t now_ns,
                            uint64_t seed,
                            FtlabPowerCut *cut);

// A second device that goes on where this one is, with all that is outstanding; null if the pointer is. What ended and
// was not taken is the first one's alone.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
FtlabDevice *ftlab_clone(const FtlabDevice *device);

// Bytes that the host can address; 0 for null.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
uint64_t ftlab_capacity_bytes(const FtlabDevice *device);

// Counts of the drive; all zero for null.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for.
FtlabCounters ftlab_counters(const FtlabDevice *device);

// What the last call with this device that did not end well did wrong; empty if all did.
//
// # Safety
// The caller promises what `ftlab_next_event` asks for. The text is there until the next call with it.
const char *ftlab_error(const FtlabDevice *device);

// Frees a device; null is nothing.
//
// # Safety
// It is not used again.
void ftlab_free(FtlabDevice *device);

// Has something go wrong with requests from the present on, in the words of `ftlab_fault`. Its number, to end it by, goes to
// `number`, which may be null.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`, `words` is a text that ends with a zero, and there is room for the number.
FtlabStatus ftlab_begin_fault(FtlabDevice *device,
                              const char *words,
                              uint32_t *number);

// Ends a fault of requests by its number, or all of them by 0.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`.
FtlabStatus ftlab_end_faults(FtlabDevice *device, uint32_t number);

// What came of the faults of requests, up to `room` of them, those of the drive file first; gives how many there are.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for `room` of them at `into`.
size_t ftlab_faults(const FtlabDevice *device,
                    FtlabRequestFault *into,
                    size_t room);

// The SMART attributes of the drive's maker, up to `room` of them; gives how many there are. None if the drive's file names
// no maker's set.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for `room` attributes at `into`.
size_t ftlab_smart(const FtlabDevice *device,
                   FtlabSmart *into,
                   size_t room);

// The log page SMART / Health Information of a drive that speaks NVMe; false if it does not, and `into` stays as it is.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for the log at `into`.
bool ftlab_nvme_health(const FtlabDevice *device,
                       FtlabNvmeHealth *into);

// Has something go wrong in the flash, while nothing is outstanding: `fault` is an `FtlabFault`, and `which` the number of
// the block or die, or a position in bytes.
//
// # Safety
// `device` is of `ftlab_build` or `ftlab_clone`.
FtlabStatus ftlab_inject(FtlabDevice *device,
                         uint32_t fault,
                         uint64_t which);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FTLAB_H */
