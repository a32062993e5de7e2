# docker build -t shufflecert . && docker run --rm -v "$PWD:/work" shufflecert certify rr -p flip=1/4 --n 100 --eps 0.6 --delta 1e-6 -o promise.json
FROM python:3.11-slim
COPY pyproject.toml README.md LICENSE /src/
COPY shufflecert /src/shufflecert
COPY verify /src/verify
COPY protocols /src/protocols
COPY proofs /src/proofs
RUN python -m pip install --no-cache-dir "/src[plots]" && rm -r /src && useradd --create-home user
USER user
WORKDIR /work
ENTRYPOINT ["shufflecert"]
CMD ["--help"]
