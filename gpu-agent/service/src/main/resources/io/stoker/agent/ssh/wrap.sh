# Runs a job and writes down how it ended. Detached: it outlives the link that started it.
cd "$1" || exit 1
. ./settings
. ./common.sh

setsid sh ./job.sh </dev/null >>stdout 2>>stderr &
job=$!
observe "$job"
job_ticks=${ticks:-0}
observe $$
read -r boot </proc/sys/kernel/random/boot_id
echo "$job $job_ticks $$ $ticks $boot" >pid.new
mv pid.new pid
if [ "$limit" -gt 0 ]; then
  sh ./guard.sh "$PWD" </dev/null >/dev/null 2>&1 &
  guard=$!
fi
code=
# The shell ends where it cannot start a process that it needs: not without what it knows.
trap '[ -z "$code" ] || [ -s exit ] || echo "$code" >exit' EXIT
wait "$job"
code=$?
first_process
end_all "$grace"
[ -z "$guard" ] || kill "$guard"
echo "$code" >exit.new
mv exit.new exit
