# A container of one program of a Go module and nothing else:
#
#   docker build -t files --build-arg PROGRAM=github.com/versity/versitygw/cmd/versitygw@v1.8.0 -f deploy/go.Dockerfile deploy
#
# compose.cluster.yaml takes from here what stands around the nodes.

FROM golang:1.26 AS build
ARG PROGRAM
RUN CGO_ENABLED=0 GOBIN=/out go install -trimpath -ldflags '-s -w' "$PROGRAM" && mv /out/* /program

FROM scratch
COPY --from=build /program /program
ENTRYPOINT ["/program"]
