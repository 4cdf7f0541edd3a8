# Two images: `tables`, the default, and `full`, which adds the blob and queue services of Azurite.
#
#   docker build --tag tabularium .
#   docker build --target full --tag tabularium:full .
#
# Debian, not Alpine: classic-level, the storage engine, brings binaries for glibc on x64 and arm64, for musl on x64
# alone. The final images take only the node binary from the official image, for it would bring npm and more along.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY grammar grammar
COPY src src
RUN npm run build && chmod 755 dist/main.js && find dist -name '*.d.ts' -delete

FROM node:24-bookworm-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Binaries of other systems, types and source maps are not read here.
RUN npm ci --omit=dev \
  && find node_modules/classic-level/prebuilds -mindepth 1 -maxdepth 1 ! -name 'linux-*' -exec rm -r {} + \
  && rm -r node_modules/classic-level/deps \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

FROM build AS drop-in
COPY docker/azurite/package.json docker/azurite/package-lock.json docker/azurite/.npmrc docker/azurite/
COPY docker/azurite/absent docker/azurite/absent
RUN cd docker/azurite && npm ci
COPY LICENSE ./
COPY docker/azurite docker/azurite
RUN (cd docker/azurite && npm run build) && chmod 755 docker/azurite/package/azurite*.mjs

FROM debian:bookworm-slim AS runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tabularium" \
  org.opencontainers.image.description="An Azure Table Storage server for your own machine" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=dependencies /build/node_modules /opt/tabularium/node_modules
COPY --from=build /build/package.json /opt/tabularium/package.json
COPY --from=build /build/dist /opt/tabularium/dist
# Health checks that were written for Azurite's image run `nc -z`.
COPY docker/nc.mjs /opt/nc.mjs
# An arbitrary uid is in group 0, as Kubernetes and OpenShift have it, so that group may write the data.
RUN cd /usr/local/bin \
  && chmod 755 /opt/nc.mjs && ln -s /opt/nc.mjs nc \
  && for name in tabularium azurite azurite-table; do ln -s /opt/tabularium/dist/main.js "$name"; done \
  && useradd --uid 10001 --gid 0 --no-create-home --home-dir /data --shell /usr/sbin/nologin tabularium \
  && install --directory --owner=10001 --group=0 --mode=0775 /data
ENV NODE_ENV=production \
  TABULARIUM_TABLE_HOST=0.0.0.0 \
  TABULARIUM_LOCATION=/data
WORKDIR /data
VOLUME /data
EXPOSE 10002
STOPSIGNAL SIGTERM
USER 10001:0
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["tabularium", "health"]

# The drop-in for Azurite: its own blob and queue services, our tables, under one supervisor.
FROM runtime AS full
LABEL org.opencontainers.image.title="Tabularium, with Azurite's blob and queue services" \
  org.opencontainers.image.description="Azure Table Storage by Tabularium, blobs and queues by Azurite"
USER 0:0
COPY --from=drop-in /build/docker/azurite/package /opt/azurite
RUN mkdir /opt/azurite/node_modules \
  && ln -s /opt/tabularium /opt/azurite/node_modules/tabularium \
  && cd /usr/local/bin \
  && for name in azurite azurite-blob azurite-queue azurite-table; do ln -sf "/opt/azurite/$name.mjs" "$name"; done
EXPOSE 10000 10001 10002
USER 10001:0
CMD ["azurite"]

FROM runtime AS tables
CMD ["tabularium"]
