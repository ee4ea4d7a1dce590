# Ends a job within $2 ms; its wrapper writes down how it ended.
cd "$1" || exit 1
. ./settings
. ./common.sh
first_process
end_all "$2"
