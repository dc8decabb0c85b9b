/**
 * The direction of dependencies (docs/design.md, layout): schemas ← domain ← formats, grading ← judges, storage, config, http, web
 * ← app, context ← server, cli. And one owning folder for each outside package.
 */
const layer = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } })
const owner = (pkg, owners) => ({
  name: `${pkg}-has-one-owner`,
  severity: 'error',
  from: { path: '^src/', pathNot: owners },
  to: { path: `node_modules/${pkg}/` },
})

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    layer('schemas-know-nobody', '^src/schemas/', '^src/(?!schemas/)'),
    layer('domain-knows-schemas-only', '^src/domain/', '^src/(?!schemas/|domain/)'),
    layer('formats-know-domain', '^src/formats/', '^src/(?!schemas/|domain/|formats/)'),
    layer('grading-knows-domain', '^src/grading/', '^src/(?!schemas/|domain/|grading/)'),
    layer('config-knows-schemas-and-domain', '^src/config/', '^src/(?!schemas/|domain/|config/)'),
    layer('judges-know-ports', '^src/judges/', '^src/(?!schemas/|domain/|grading/|config/|judges/)'),
    layer('storage-knows-ports', '^src/storage/', '^src/(?!schemas/|domain/|grading/|storage/)'),
    layer('http-knows-ports-and-context', '^src/http/', '^src/(judges|storage|formats|config)/'),
    layer('edges-are-not-imported', '^src/(?!server|cli)', '^src/(server|cli)\\.ts'),
    {
      name: 'domain-is-pure',
      comment: 'No I/O, no clock, no SDK in the core; node:crypto only digests.',
      severity: 'error',
      from: { path: '^src/(domain|formats)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'domain-has-no-packages',
      severity: 'error',
      from: { path: '^src/(domain|formats|grading)/' },
      to: { path: 'node_modules/' },
    },
    owner('typebox', '^src/(schemas|http|config)/'),
    owner('better-sqlite3', '^src/storage/'),
    owner('openai', '^src/judges/'),
    owner('@anthropic-ai', '^src/judges/'),
    owner('undici', '^src/judges/'),
    owner('yaml', '^src/config/'),
    owner('prom-client', '^src/http/'),
    owner('lru-cache', '^src/http/'),
    owner('commander', '^src/(cli\\.ts|cli/)'),
    owner('fastify', '^src/(http/|app\\.ts|server\\.ts)'),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
