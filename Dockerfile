# The hub: one static binary, nothing else in the image. For agents there is a
# target of its own (--target worker), because their commands need a shell.
#
# Without keys a hub serves loopback only, and that is the container's own: run it
# with --network host, or beside a balancer as docker-compose.yml does.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/hub ./cmd/hub

FROM debian:bookworm-slim AS worker
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/hub /hub
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/hub"]
CMD ["work", "--help"]

FROM scratch
# For models and Redis over TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/hub /hub
USER 65532:65532
EXPOSE 8737
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 CMD ["/hub", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/hub"]
CMD ["serve"]
