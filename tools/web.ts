import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import config from '../web/vite.config.ts'

/** Builds the audit pages into web/dist; with `--check` it builds beside it and says whether the committed files are those. */
const COMMITTED = fileURLToPath(new URL('../web/dist', import.meta.url))

if (process.argv.includes('--check')) await check()
else await build(config)

async function check(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-web-'))
  try {
    await build({ ...config, build: { ...config.build, outDir: folder } })
    const { status } = spawnSync('git', ['diff', '--no-index', '--name-status', COMMITTED, folder], {
      stdio: 'inherit',
    })
    if (status === 0) return
    console.error('web/dist is not what web/ builds to: run `npm run web` and commit web/dist')
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
