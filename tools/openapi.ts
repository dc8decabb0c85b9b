import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildApp } from '../src/boot/app.ts'
import { buildContext } from '../src/boot/context.ts'
import { loadConfig } from '../src/config/config.ts'

/** Writes openapi/openapi.json from the routes; `--check` exits 1 where the committed file differs. */
const FILE = fileURLToPath(new URL('../openapi/openapi.json', import.meta.url))
const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
const context = await buildContext({ config, secrets })
const { http } = await buildApp(context, { logger: false })
const text = `${JSON.stringify(http.swagger(), null, 2)}\n`
await http.close()
await context.close()
if (!process.argv.includes('--check')) writeFileSync(FILE, text)
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('openapi/openapi.json differs from the routes: run "npm run openapi" and commit it')
  process.exitCode = 1
}
