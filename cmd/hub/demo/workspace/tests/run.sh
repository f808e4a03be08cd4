# Runs all cases. Ends with 1 if any fails.
cd "$(dirname "$0")/.." || exit 2
. src/price.sh
. src/stock.sh
. src/invoice.sh
n=0 failed=0 all=$(grep -c . tests/cases.txt)
while IFS='|' read -r name call want; do
  n=$((n + 1))
  got=$($call)
  if [ "$got" = "$want" ]; then
    printf '\033[32mok\033[0m    %2d/%d  %s\n' "$n" "$all" "$name"
  else
    failed=$((failed + 1))
    printf '\033[31mFAIL\033[0m  %2d/%d  %s: %s gave %s, want %s\n' "$n" "$all" "$name" "$call" "$got" "$want"
  fi
  sleep 0.25
done < tests/cases.txt
echo "$((n - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
