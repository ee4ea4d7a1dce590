# Ends a job within $2 ms; its wrapper writes down how it ended. Who asks again, as after a link that
# broke, changes the time alone: a second TERM would end what the job does at its end.
cd "$1" || exit 1
. ./settings
. ./common.sh
first_process
if [ ! -f told ]; then
  signal TERM
  echo "$2" >told
fi
end_told "$2"
