# A worker of a pool, as docs/pools.md describes it: says its params back, or what they tell it.
say() { echo "#stoker:worker {\"v\":1,$1}"; }
of() { value=${line#*"\"$1\":\""}; value=${value%%\"*}; }
say '"is":"ready"'
while read -r line; do
  n=${line#*'"n":'}
  n=${n%%,*}
  case "$line" in
    *'"do":"stop"'*) exit 0 ;;
    *'"what":"fail"'*) say "\"n\":$n,\"is\":\"error\",\"message\":\"it was told to fail\"" ;;
    *'"what":"die"'*) kill -9 $$ ;;
    *'"what":"held"'*)
      of request; request=$value
      of gate; gate=$value
      echo "$request" >> "$gate.begun"
      until [ -e "$gate" ]; do sleep 0.05; done
      echo "$request" >> "$gate.ended"
      say "\"n\":$n,\"is\":\"done\",\"result\":{\"of\":\"$OF\"}" ;;
    *'"what":"block"'*) sleep 600 ;;
    *) say "\"n\":$n,\"is\":\"done\",\"result\":{\"worker\":\"$STOKER_WORKER\",\"pid\":$$,\"of\":\"$OF\"}" ;;
  esac
done
