# A worker of a pool that notes in one file, shared by all, when it begins and ends a job: lines that
# are appended have the order in which they were written, whoever wrote them.
say() { echo "#stoker:worker {\"v\":1,$1}"; }
of() { value=${line#*"\"$1\":"}; value=${value%%[,\}]*}; value=${value#\"}; value=${value%\"}; }
say '"is":"ready"'
while read -r line; do
  case "$line" in *'"do":"stop"'*) exit 0 ;; esac
  of request; request=$value
  of attempt; attempt=$value
  of n; n=$value
  echo "begin $request $attempt" >> "$1"
  case "$line" in *'"slow":true'*) sleep 0.02 ;; esac
  echo "end $request $attempt" >> "$1"
  say "\"n\":$n,\"is\":\"done\",\"result\":$n"
done
