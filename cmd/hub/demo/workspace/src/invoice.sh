# Invoices.

# number YEAR N: the number of the N-th invoice of a year.
number() {
  printf '%d-%05d\n' "$1" "$2"
}

# tax SUM: the tax in a sum, at 19 percent. TODO: other countries
tax() {
  echo $(($1 * 19 / 119))
}
