#!/bin/sh
# Keeps what the program gives, without where it was built, to be compared with what another build gives:
#
#     xtask/yardstick.sh FTLAB OUT [whole]
#
# `diff -r` of two such folders says nothing where all figures and pages are the same bytes. `whole` has every drive of every
# suite, which takes a quarter of an hour; without it a few drives stand for all.
set -eu
ftlab=$(realpath "$1")
out=$2
how=${3:-few}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
cd "$out"
rm -rf ./*
job=$root/jobs
trace=$root/crates/trace/tests/samples
quiet="--quiet"

# What is printed is kept, too, and what a missed requirement or a refused load says.
keep() {
    kept=$1
    shift
    code=0
    "$ftlab" "$@" > "$kept.txt" 2> "$kept.err" || code=$?
    echo "exit $code" >> "$kept.txt"
}

case $how in
whole)
    keep review-all review --all --quick --out review-all $quiet
    keep modern-all review --suite modern --all --quick --out modern-all $quiet
    keep claims claims --json claims.json $quiet
    ;;
*)
    keep review review --quick --out review $quiet
    keep review-all review crucial-m4-64 wd-velociraptor-300 --all --quick --out review-all $quiet
    keep review-repeats review intel-x25-m-g1-80 --test A1 --test A4 --repeats 3 --quick --out review-repeats $quiet
    keep modern review --suite modern --quick samsung-970-evo-plus-500 samsung-pm9a3-960 --out modern $quiet
    keep claims claims C001 C010 C020 C030 C052 C057 C080 C100 C120 --json claims.json $quiet
    ;;
esac
keep pts pts crucial-m4-64 --scale 2000 --out pts $quiet
keep compare compare generic-mlc-8 --set spare.op=0.07,0.28 --set gc.policy=greedy,fifo --test E1 --test A1 --quick --out compare $quiet
keep compare-own compare generic-mlc-8 --set spare.op=0.07,0.28 --test "$job/mixed-reads-writes.fio" --state used --quick --out compare-own $quiet
keep compare-two compare review compare --fail-if 'wa +1%' $quiet
keep report report review "$out/compare" --out report-of-two
keep plan-job plan "$job/randwrite-4k-qd32.fio" --drive generic-mlc-8 --per-day 50GB --life 5y --p99 5ms --quick --out plan-job $quiet
keep plan-script plan "$root/scripts/launch-excel2010.toml" --drive crucial-m4-64 --quick --out plan-script $quiet
keep plan-trace plan "$trace/msr.csv" --drive generic-mlc-8 --fit wrap --quick --out plan-trace $quiet
keep endurance endurance --drive generic-mlc-8 $quiet
cat > grid.toml <<'G'
drives = ["generic-mlc-8", "crucial-m4-64"]
loads = ["randwrite-4k-qd32", "own.fio", "launch-excel2010", "third.fio", "randread-4k-qd1"]
seeds = 5
state = "filled"
[set]
gc.policy = ["greedy", "fifo"]
spare.op = [0.07, 0.28]
G
printf '[own]\nrw=randrw\nbs=4k\nioengine=libaio\niodepth=8\nnumber_ios=20000\nfsync=64\n' > own.fio
printf '[third]\nrw=write\nbs=128k\nnumber_ios=4000\n[fourth]\nrw=randread\nbs=4k\nnumber_ios=4000\nrate_iops=2000\n' > third.fio
keep sweep sweep grid.toml --out sweep $quiet
printf 'drives = ["generic-mlc-8"]\nloads = ["own.fio", "third.fio"]\nseeds = 2\nuntimed = true\n[set]\nspare.op = [0.07, 0.28]\n' > untimed.toml
keep sweep-untimed sweep untimed.toml --out sweep-untimed $quiet

n=0
for load in own.fio third.fio "$job/randwrite-4k-qd32.fio" "$job/trim-10gb-randwrite.fio" "$job/mixed-reads-writes.fio" \
    "$root/scripts/launch-excel2010.toml" "$root/scripts/extract-1gb.toml" "$root/traces/atsb2011-light.toml" \
    "$trace/msr.csv" "$trace/fio3.log" "$trace/alibaba.csv" "$trace/blkparse.txt"; do
    n=$((n + 1))
    for clock in "" --untimed; do
        for jobs in 1 4; do
            name=run-$n${clock#-}-$jobs
            for drive in generic-mlc-8 samsung-970-evo-plus-500; do
                fit=
                case $load in *.csv | *.log | *.txt) fit="--fit wrap" ;; esac
                # shellcheck disable=SC2086
                keep "$name-$drive" run "$load" --drive $drive --state used --quick $clock $fit --jobs $jobs --output-format json+ \
                    --out "$name-$drive" $quiet
                # shellcheck disable=SC2086
                test $jobs = 4 || keep "$name-$drive-text" run "$load" --drive $drive --state used --quick $clock $fit --require 'wa <= 2.1' \
                    $quiet
            done
        done
    done
done
keep run-fio fio --drive generic-mlc-8 --name=a --rw=randwrite --bs=4k --iodepth=8 --number_ios=9000

find . -type f ! -name '*.parquet' -exec sed -i -E \
    -e 's/[0-9a-f]{40}/COMMIT/g' -e 's/commit [0-9a-f]{12}(, modified)?/commit COMMIT/g' \
    -e 's/"modified": ?(true|false)/"modified":MODIFIED/g' -e 's/"(wall_seconds|time|timestamp|timestamp_ms)": .*,$/"\1": NOW,/' \
    -e 's/^  speed  .*/  speed/' -e "s#$out#OUT#g" -e "s#$root#ROOT#g" {} +
