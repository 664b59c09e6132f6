# Functions for .ci/run and .ci/all: they run npm scripts and count test cases. On stdout: a line "<suite>: N passed, N failed"
# counts test cases, as jest's own report has them. What the suites print, such as seeds and tables, is on stderr.
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
passed=0
failed=0

# Runs an npm script for so many seconds at the most; says so when they were not enough. What it has cost is on stderr.
limited() {
  local script=$1 seconds=$2 code=0 group
  shift 2
  timeout --kill-after=15 "$seconds" npm run "$script" -- "$@" >&2 &
  group=$! # timeout leads a group of its own, of everything that the script starts
  TIMEFORMAT="${script#test:}: took %0R s, %0U s and %0S s of the processor"
  time wait "$group" || code=$?
  kill -KILL -- "-$group" 2>/dev/null || true # what outlived the script
  case $code in 124 | 137) echo "${script#test:}: timed out after $seconds s" ;; esac
  return "$code"
}

# Runs an npm script, and goes on whatever it ended with.
try() {
  local code=0
  limited "$@" || code=$?
  echo "$code" >"$reports/$1.code"
}

# Runs an npm script that is a run of jest, which leaves its report.
run() {
  local script=$1 seconds=$2
  shift 2
  try "$script" "$seconds" --json --outputFile="$reports/$script.json" "$@"
}

# Counts the cases of what has run.
count() {
  local name=${1#test:} counts
  counts=$(node -e '
    const report = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    console.log(report.numPassedTests, report.numFailedTests + report.numRuntimeErrorTestSuites);
  ' "$reports/$1.json" 2>/dev/null) || counts="0 1"
  if [ "$(cat "$reports/$1.code")" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
    echo "$name: no case failed, but it ended with $(cat "$reports/$1.code")"
    counts="${counts% *} 1"
  fi
  echo "$name: ${counts% *} passed, ${counts#* } failed"
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
}

suite() {
  run "$@"
  count "$1"
}

# Counts a script that is no run of jest: all of it is one failure, or none.
count_step() {
  [ "$(cat "$reports/$1.code")" -ne 0 ] || return 0
  echo "$1: failed"
  failed=$((failed + 1))
}

step() {
  try "$@"
  count_step "$1"
}

# The names of the cases that failed, each with the first lines of its message, from jest's reports.
failures() {
  node -e '
    for (const path of process.argv.slice(1)) {
      let report;
      try {
        report = JSON.parse(require("node:fs").readFileSync(path, "utf8"));
      } catch {
        continue; // the suite left none, which its own line has said
      }
      for (const file of report.testResults) {
        const cases = file.assertionResults.filter((result) => result.status === "failed");
        const found = cases.map((one) => [one.fullName, one.failureMessages.join("\n")]);
        if (file.status === "failed" && found.length === 0) found.push(["does not run", file.message]);
        for (const [name, message] of found) {
          const lines = message.replace(/\x1b\[[0-9;]*m/g, "").split("\n").slice(0, 12);
          console.log(`FAILED ${file.name}: ${name}\n    ${lines.join("\n    ")}`);
        }
      }
    }
  ' "$reports"/*.json
}

# Ends with the failures, their number, and a code that says whether there were any.
finish() {
  failures
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
