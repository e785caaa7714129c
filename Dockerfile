# scriptool as an ordinary user, with the versions of constraints.txt. docs/operations.md says how to run it.

FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY sandbox sandbox
COPY scriptool scriptool
RUN python -m venv /opt/scriptool \
    && /opt/scriptool/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --user-group --home-dir /data --create-home scriptool
COPY --from=build /opt/scriptool /opt/scriptool
ENV PATH=/opt/scriptool/bin:$PATH XDG_DATA_HOME=/data PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
# scriptool.toml and secrets.toml are read from here; tools are mounted at /tools, read-only.
WORKDIR /etc/scriptool
VOLUME /data
EXPOSE 8750
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8750/health', timeout=4)"]
ENTRYPOINT ["scriptool"]
# Others can reach it, so it asks for a token and does not start without SCRIPTOOL_TOKEN or --token-file.
CMD ["serve", "/tools", "--no-shared", "--host", "0.0.0.0", "--log-format", "json", "--log-level", "info"]
