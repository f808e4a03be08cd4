# Prices in cents. See docs/pricing.md.

# total QUANTITY CENTS: what so many of a thing cost.
total() {
  local sum=$(($1 * $2))
  if [ "$1" -gt 10 ]; then
    sum=$((sum * 90 / 100))
  fi
  echo "$sum"
}

# shipping SUM: what it costs to send an order of this sum.
shipping() {
  local sum=$1
  if [ "$sum" -ge 5000 ]; then
    echo 0
  else
    echo 490
  fi
}
