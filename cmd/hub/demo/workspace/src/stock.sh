# Stock, counted in pieces.

# take STOCK QUANTITY: what is left; never less than zero.
take() {
  local left=$(($1 - $2))
  if [ "$left" -lt 0 ]; then
    left=0
  fi
  echo "$left"
}

# reorder STOCK: yes when the shelf is nearly empty. TODO: per article
reorder() {
  if [ "$1" -lt 5 ]; then echo yes; else echo no; fi
}
