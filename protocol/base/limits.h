#pragma once

#include <cstddef>
#include <cstdint>

/// Every bound of the program that is no configuration key, with its reason. Configuration keys have theirs in the key
/// table.
namespace braid::protocol {

// -- protocol/base

/// First chunk of an Arena: holds the arrays of an ordinary Produce or Fetch, so that steady state takes one chunk for
/// life.
inline constexpr std::size_t kArenaFirstChunkBytes = 16 * 1024;

/// All arrays of one request together. A structure is up to about 100 times larger in memory than the two bytes that
/// announce it on the wire; a Metadata request for 500,000 topics needs 20 MiB.
inline constexpr std::size_t kArenaBytesMax = 64 * 1024 * 1024;

/// A larger chunk is given back by Arena::reset, so that one odd request does not hold its memory for the connection's
/// life.
inline constexpr std::size_t kArenaKeptBytesMax = 1024 * 1024;

// -- protocol/messages

/// Longest string of a message: a classic length is an int16, and Kafka holds flexible strings to the same.
inline constexpr std::size_t kStringBytesMax = 32767;

/// Elements of one array, as in Kafka. The bytes must be able to hold them as well.
inline constexpr std::size_t kArrayElementsMax = 1000000;

/// Tags of one struct, as in Kafka: no message has more than a handful, so more is an attempt to keep the reader busy.
inline constexpr std::uint32_t kTaggedFieldsMax = 10000;

// -- protocol/records

/// A Decompressor yields its content in pieces of at most this: one zstd block, and the whole of an ordinary client's
/// 16 KiB batch, so that small batches take one step.
inline constexpr std::size_t kDecompressionPieceBytes = 128 * 1024;

/// Content up to the first bound is never questioned; beyond it, content of more than the second times the compressed
/// bytes is a bomb: logs reach about 100. No client's batch comes near both: by default it may have 1 MiB before
/// compression.
inline constexpr std::size_t kDecompressedBytesUnquestioned = 64 * 1024 * 1024;
inline constexpr std::size_t kDecompressionRatioMax = 256;

/// log2 of the history kept while a zstd frame is read: 8 MiB, what level 19 uses. Frames that announce more, up to the
/// second bound, are read with this much: their content hardly ever reaches further back, as a batch is smaller. Above
/// the second no consumer reads them (zstd's own default), so they are refused.
inline constexpr unsigned kZstdWindowLogMax = 23;
inline constexpr unsigned kZstdWindowLogReadable = 27;

/// A snappy element of three bytes yields at most 64, so a block that announces more than 22 times its size lies. A
/// block is unpacked as a whole (its history is the block); 128 MiB is above what an uncompressed request may have by
/// default (100 MiB). A buffer above the third bound is given back.
inline constexpr std::size_t kSnappyRatioMax = 22;
inline constexpr std::size_t kSnappyBlockBytesMax = 128 * 1024 * 1024;
inline constexpr std::size_t kSnappyKeptBytesMax = 1024 * 1024;

/// Memory of one Decompressor besides a snappy block: zstd's window (8 MiB) and tables, lz4's two buffers for its
/// largest block (4 MiB each), zlib's window, the piece.
inline constexpr std::size_t kDecompressorBytesMax = 20 * 1024 * 1024;

/// A Compressor takes its content in pieces of this, which bounds its staging buffer: lz4's block in our frames.
inline constexpr std::size_t kCompressionPieceBytes = 64 * 1024;

/// Uncompressed bytes in a snappy block that we write: what the Java client writes, small enough for every reader.
inline constexpr std::size_t kXerialBlockBytes = 32 * 1024;

/// Bad records listed in the answer to one bad batch: 1,000 lines are more than a person reads, and the answer stays
/// near 200 KiB; a batch may have millions.
inline constexpr std::size_t kRecordErrorsMax = 1000;

// -- protocol/recode, the program protocol_recode

/// Longest line: the hexadecimal digits of a 32 MiB message. Larger messages differ from smaller ones in nothing that
/// the program looks at.
inline constexpr std::size_t kRecodeLineBytesMax = 64 * 1024 * 1024;

/// What is read from standard input at once: what a pipe holds.
inline constexpr std::size_t kRecodeReadBytes = 64 * 1024;

/// Content of one batch that is looked at: 1,000 times what a small line can hold compressed, and bounded all the same.
inline constexpr std::size_t kRecodeBatchContentBytesMax = 64 * 1024 * 1024;

/// Records of one batch that is built: enough for every kind of length, and some 30 MiB.
inline constexpr int kRecodeBuiltRecordsMax = 100000;

// -- storage/env

/// Path inside a data directory: PATH_MAX of Linux without the end mark; a topic's name is at most 249 of it.
inline constexpr std::size_t kPathBytesMax = 4095;

/// Pieces that one gathering write hands to the kernel (it takes 1,024); a group of tail slabs has fewer, and the list
/// lives on the stack.
inline constexpr std::size_t kGatherPiecesMax = 64;

/// System calls that are interrupted one after the other without a byte of progress; more is no longer a coincidence.
inline constexpr std::size_t kInterruptionsMax = 100;

/// Unsynced writes of 4 KiB that an in-memory file keeps apart, for tests; beyond that the older half reaches the disk
/// by itself, as it does on a real machine.
inline constexpr std::size_t kUnsyncedWritesMax = 65536;

/// Largest file of the in-memory file system: the table of its pages stays below 16 MiB.
inline constexpr std::uint64_t kMemoryFileBytesMax = std::uint64_t{64} * 1024 * 1024 * 1024;

/// Pages of removed files that the in-memory file system remembers, to show them again where a real one might.
inline constexpr std::size_t kFreedPagesMax = 16;

// -- storage

/// How often the lane looks at its store though nothing happens: a mark on an idle log comes at most this much late,
/// and an idle process is woken four times a second.
inline constexpr std::int64_t kMaintenanceTickMs = 250;

// -- storage/commitlog

/// Units that one write-out of a consume queue takes: the lane copies at most 640 KiB of runs in one turn (some 100
/// us), and a write is up to 320 KiB, long enough to hide its system calls.
inline constexpr std::int64_t kQueueWriteUnitsMax = 16384;

/// Runs that a consume queue keeps in memory: it starts with one (40 bytes; of 10,000 partitions most have a batch now
/// and then). The upper bound, 640 MiB, is never met: the store writes out long before.
inline constexpr std::uint32_t kQueueRunsMin = 1;
inline constexpr std::uint32_t kQueueRunsMax = std::uint32_t{1} << 24;

/// Units on their way into a queue file, and a buffer of filler: ten pages of 200 units, so that a batch of a busy
/// queue takes few system calls.
inline constexpr std::size_t kQueueBufferBytes = 40'000;

/// Files of consume queues that are open at a time, of 10,000 and more: with the log's own and the sockets' it stays
/// far below the 1,024 descriptors that a process gets without asking.
inline constexpr std::size_t kOpenQueueFilesMax = 32;

/// What one reservation of the log may ask for even where the tail is smaller: a request of socket.request.max.bytes
/// (100 MiB) and the entry headers around its batches.
inline constexpr std::int64_t kReservedBytesMax = std::int64_t{128} << 20;

/// Prepared blocks that only deletes, commits, markers and the store's own entries may use.
inline constexpr std::int64_t kEssentialBytes = std::int64_t{1} << 20;

/// Blocks are prepared in pieces of this, so that one piece delays no other chore for long.
inline constexpr std::int64_t kPreparedPieceBytes = std::int64_t{1} << 20;

/// The memory that zeros are written from, as often as needed: it stays in the processor's cache.
inline constexpr std::size_t kZerosBytes = std::size_t{64} << 10;

/// Space for the log is taken in pieces of this at most: one change of the file system's metadata each, and a part of
/// the disk's last 16 MiB can still be had in pieces of kPreparedPieceBytes.
inline constexpr std::int64_t kAllocatedPieceBytesMax = std::int64_t{16} << 20;

/// Zeros of one chore: some 4 ms, so that it delays no other for long.
inline constexpr std::int64_t kZeroedPieceBytesMax = std::int64_t{4} << 20;

/// A log that grows faster than this (256 MiB/s), seen over some milliseconds, is written into blocks that are only
/// allocated: to zero them would take half of the disk's bandwidth, their syncs cost some 100 us more, and at that rate
/// groups are large.
inline constexpr std::int64_t kZeroedBytesPerMsMax = std::int64_t{256} << 10;
inline constexpr std::int64_t kGrowthWindowMs = 50;

/// Blocks prepared ahead of the log's end: as many as were lately appended, within these. A quiet broker stays small,
/// and a busy one writes for some 30 ms while the next are prepared.
inline constexpr std::int64_t kPreparedBytesMin = std::int64_t{2} << 20;
inline constexpr std::int64_t kPreparedBytesMax = std::int64_t{64} << 20;

/// A slab of the tail: large enough that the chain's mutex is rare, small enough that a quiet broker stays small.
inline constexpr std::int64_t kSlabBytes = std::int64_t{1} << 20;

/// Freed log files that wait to be the log's next: one is more than is prepared ahead, and the file after it is freed
/// before it is needed where as much is deleted as is written.
inline constexpr std::size_t kPooledFilesMax = 1;

/// What a scan of the log reads at once, at first and when it goes on: long enough to run at the disk's bandwidth
/// though nothing is read ahead, and a look at the last block takes no more than it needs.
inline constexpr std::size_t kScanWindowBytesMin = 64 * 1024;
inline constexpr std::size_t kScanWindowBytesMax = 4 * 1024 * 1024;

/// A larger checkpoint is damaged: a million partitions with full queues in memory stay below.
inline constexpr std::uint64_t kCheckpointBytesMax = std::uint64_t{4} << 30;

/// Findings that a recovery lists; more are counted. A log that is damaged all over makes no readable report anyway.
inline constexpr std::size_t kRecoveryFindingsMax = 1000;

/// Units that a read takes from a queue's files at once: some batches' worth, 5 KiB on the stack.
inline constexpr std::size_t kReadUnits = 256;

/// Entries of a read with at most this between them are read at once: 64 KiB cost less than a second call. One such
/// read is at most 8 MiB, the memory that it takes besides the result.
inline constexpr std::int64_t kReadGapBytesMax = 64 * 1024;
inline constexpr std::int64_t kReadOnceBytesMax = std::int64_t{8} << 20;

/// Log files that are open for reading.
inline constexpr std::size_t kOpenLogFilesMax = 16;

/// A queue with more than this in memory is full and written to its files: some 100 batches, so that the write is worth
/// its calls. Below it its units go into the checkpoint, 10,000 queues 40 MiB at most.
inline constexpr std::size_t kQueueMemoryBytes = 4096;

/// Full queues are written out in rounds, when so much was added to all queues together: each write-out ends with a
/// sync of the file system, which holds up the log's own for some milliseconds. 200,000 batches, 8 % of a loaded
/// broker's memory.
inline constexpr std::size_t kQueueRoundBytes = std::size_t{8} << 20;

/// Queues in one write-out, removed queues in one go, so that the chores behind them are not held up for long.
inline constexpr std::size_t kQueuesWrittenAtOnceMax = 1024;
inline constexpr std::size_t kQueuesRemovedAtOnceMax = 100;

/// Of the log, in one step of building a damaged queue anew: some 30 ms, so that nothing else waits for long.
inline constexpr std::int64_t kQueueRebuildStepBytes = std::int64_t{16} << 20;

/// Queues that an open looks into before it serves, the oldest ones first: a small broker's all, and the broker's own
/// in any. It takes some milliseconds from the page cache, and 30 from a disk.
inline constexpr std::size_t kQueuesCheckedAtOpenMax = 128;

/// Queues that maintenance looks into in one step, after an open: some 20 ms.
inline constexpr std::size_t kQueuesCheckedAtOnceMax = 1024;

/// A checkpoint is taken after so many bytes at the latest: what a recovery then scans takes about half a second.
inline constexpr std::int64_t kCheckpointIntervalBytes = std::int64_t{256} << 20;

/// Partition records in one piece of a snapshot: an entry of some 100 KiB.
inline constexpr std::size_t kSnapshotPiecePartitionsMax = 1000;

/// After a full disk, maintenance tries again so much later, or at once when it has removed something itself.
inline constexpr std::int64_t kDiskFullRetryMs = 1000;

/// A log that is idle for so long gets a sync mark, which proves that what comes before it was synced.
inline constexpr std::int64_t kSyncMarkIdleMs = 1000;

// -- broker

/// What the metadata log is read by at a start, and the most that one decision may write: 100,000 records of a new
/// configuration are 10 MiB.
inline constexpr std::size_t kMetadataReadBytes = 1024 * 1024;
inline constexpr std::size_t kMetadataBatchBytesMax = std::size_t{16} << 20;

/// The metadata log is written anew when so much was added, and twice what is alive: a start reads a few MiB.
inline constexpr std::int64_t kMetadataCompactionBytesMin = std::int64_t{1} << 20;
inline constexpr std::size_t kMetadataRecordsAtOnceMax = 1000;

/// Partitions of one topic: ten times what a large cluster has in all, and each takes some 500 bytes of memory.
inline constexpr std::int32_t kPartitionsPerTopicMax = 100'000;

/// Producers that one partition remembers; a batch of one that was forgotten is taken like a new one's. 300 bytes each.
inline constexpr std::size_t kProducersPerPartitionMax = 100'000;

/// What a look-up by time reads at once: a few batches around the place that the index names.
inline constexpr std::size_t kTimeLookupReadBytes = 64 * 1024;

/// A failed disk ends the process so much later: the refusals that wait for it have left by then.
inline constexpr std::int64_t kFailureDrainMs = 200;

/// Threads that read from the disk for fetches: enough to keep a solid-state disk busy.
inline constexpr std::size_t kWorkerThreads = 4;

/// A properties file with all keys and a comment for each is 60 KiB; anything far above is the wrong file.
inline constexpr std::size_t kConfigFileBytesMax = 1024 * 1024;

/// Bytes of one key, value or name that a message about the configuration shows: a line of a terminal or two. The value
/// itself may be the whole file.
inline constexpr std::size_t kShownBytesMax = 200;

/// Problems that are listed, and notices: a file that gives every key of the table stays below. More means the wrong
/// file, of which the first lines say enough.
inline constexpr std::size_t kConfigProblemsMax = 100;
inline constexpr std::size_t kConfigNoticesMax = 500;

/// What a loop reads from a socket at once: the frames of most turns fit, and one buffer serves all of its connections.
inline constexpr std::size_t kReceiveScratchBytes = 64 * 1024;

/// First own memory of a connection for a frame that came in part. Afterwards it has at most twice what was received.
inline constexpr std::size_t kReceiveFirstBytes = 4 * 1024;

/// Requests of one connection that are not answered yet; more are not read. Clients have 5 in flight, some tools 64.
inline constexpr std::size_t kRequestsInFlightMax = 64;

/// Bytes of finished replies of one connection; with more, no request is read until the client has taken some. One
/// reply may be larger; this bounds what a slow reader can gather.
inline constexpr std::size_t kReplyBytesQueuedMax = 1024 * 1024;

/// Replies that one writev sends: what Asio passes on at most (the kernel takes 1,024).
inline constexpr std::size_t kGatheredRepliesMax = 64;

/// Pause before the next accept when descriptors or memory ran out; trying at once would only burn the processor.
inline constexpr std::int64_t kAcceptPauseMs = 100;

/// A closed connection whose client has not confirmed all replies is kept for so long, what it sends is dropped, and
/// looked at at least so often: time for the 100 KiB that a kernel holds on a line of 30 kbit/s.
inline constexpr std::int64_t kCloseLingerMsMax = 30'000;
inline constexpr std::int64_t kClosePollMsMax = 100;

/// Log lines of one kind from one loop: this many at once, then so many a second. A flood of bad frames stays readable
/// and costs no disk.
inline constexpr std::int64_t kLogBurstLines = 10;
inline constexpr std::int64_t kLogLinesPerSecond = 1;

/// Log lines that wait for standard error; more are counted and left out. All that a start can say, every problem and
/// notice of its configuration, fits.
inline constexpr std::size_t kLogQueuedBytesMax = 1024 * 1024;

/// How long the end of the program waits for standard error to take what is queued: enough for a busy reader; one that
/// is stuck must not hold up a restart.
inline constexpr std::int64_t kLogFlushMsMax = 1000;

/// Kept of a client's software name and version, each; they are for metrics and logs.
inline constexpr std::size_t kSoftwareNameBytesMax = 64;

/// How often a loop looks for connections whose deadline has passed: a quarter of the shortest deadline, within these.
inline constexpr std::int64_t kSweepPeriodMsMin = 20;
inline constexpr std::int64_t kSweepPeriodMsMax = 1000;

}  // namespace braid::protocol
