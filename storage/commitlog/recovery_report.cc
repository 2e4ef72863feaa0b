#include "storage/commitlog/recovery_report.h"

#include <algorithm>
#include <utility>

#include "protocol/base/limits.h"

namespace braid::storage {

void RecoveryReport::add(RecoveryFinding finding) {
  ++findings_count;
  if (findings.size() < protocol::kRecoveryFindingsMax) findings.push_back(std::move(finding));
}

bool RecoveryReport::has(RecoveryFinding::Kind kind) const {
  return std::ranges::any_of(findings, [&](const RecoveryFinding& finding) { return finding.kind == kind; });
}

const char* name_of(RecoveryFinding::Kind kind) {
  switch (kind) {
    case RecoveryFinding::Kind::kBadEntry:
      return "bad entry";
    case RecoveryFinding::Kind::kMissingFile:
      return "missing file";
    case RecoveryFinding::Kind::kTornTail:
      return "torn tail";
    case RecoveryFinding::Kind::kBadSuperblock:
      return "bad superblock";
    case RecoveryFinding::Kind::kBadCheckpoint:
      return "bad checkpoint";
    case RecoveryFinding::Kind::kBadIdentitySlot:
      return "bad identity slot";
    case RecoveryFinding::Kind::kLostEnd:
      return "lost end";
    case RecoveryFinding::Kind::kUnknownPartition:
      return "unknown partition";
    case RecoveryFinding::Kind::kBadQueue:
      return "bad queue";
  }
  return "unknown";
}

}  // namespace braid::storage
