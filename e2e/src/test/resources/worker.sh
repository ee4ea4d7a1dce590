# A worker of a pool, as docs/pools.md describes it: says its params back, or what they tell it.
say() { echo "#stoker:worker {\"v\":1,$1}"; }
say '"is":"ready"'
while read -r line; do
  n=${line#*'"n":'}
  n=${n%%,*}
  case "$line" in
    *'"do":"stop"'*) exit 0 ;;
    *'"what":"fail"'*) say "\"n\":$n,\"is\":\"error\",\"message\":\"it was told to fail\"" ;;
    *'"what":"die"'*) kill -9 $$ ;;
    *'"what":"block"'*) sleep 600 ;;
    *) say "\"n\":$n,\"is\":\"done\",\"result\":{\"worker\":\"$STOKER_WORKER\",\"pid\":$$}" ;;
  esac
done
