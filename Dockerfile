# The service with its built-in judge; no build step: Node 24 runs the TypeScript.
FROM node:24-bookworm-slim
ENV NODE_ENV=production VERIDICT_HOST=0.0.0.0 VERIDICT_PORT=8787 VERIDICT_DATABASE=/data/veridict.sqlite
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/node-runtime ./tools/node-runtime
RUN npm ci --omit=dev && mkdir -p /data && chown node:node /data
COPY bin ./bin
COPY migrations ./migrations
COPY rubrics ./rubrics
COPY src ./src
COPY web/dist ./web/dist
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server.ts"]
