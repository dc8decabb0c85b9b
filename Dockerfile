# The service with its built-in judge; no build step: Node 24 runs the TypeScript. How to run it: docs/operations.md.
#
# Pin the base image by digest where you build: no registry can be reached from where this file is kept, and a digest that nobody
# looked up would be a wrong one. `docker buildx imagetools inspect node:24-bookworm-slim` prints it; then
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… -t veridict .
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/node-runtime ./tools/node-runtime
COPY tools/postgres-runtime ./tools/postgres-runtime
# Packages of judges that few configure: --build-arg JUDGE_PACKAGES="@anthropic-ai/bedrock-sdk@1.1.3" (docs/configuration.md has the names).
ARG JUDGE_PACKAGES=""
RUN npm ci --omit=dev --omit=optional --ignore-scripts && if [ -n "$JUDGE_PACKAGES" ]; then npm install --no-save --omit=dev --omit=optional --ignore-scripts $JUDGE_PACKAGES; fi

FROM ${NODE_IMAGE}
ENV NODE_ENV=production VERIDICT_HOST=0.0.0.0 VERIDICT_PORT=8787 VERIDICT_DATABASE=/data/veridict.sqlite
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY bin ./bin
COPY examples ./examples
COPY migrations ./migrations
COPY rubrics ./rubrics
COPY src ./src
COPY web/dist ./web/dist
# Nothing installs packages in here, and nothing but /data is the service's to write.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
  && ln -s /app/bin/veridict.cjs /usr/local/bin/veridict && mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 8787
# It drains for up to 25 seconds: `docker run --stop-timeout 30`, or `docker stop -t 30`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=15s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.VERIDICT_PORT || 8787) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server.ts"]
