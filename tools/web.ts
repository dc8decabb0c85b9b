import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
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
    const differing = difference(COMMITTED, folder)
    for (const name of differing) console.error(`web/dist/${name} is not what web/ builds to`)
    if (differing.length > 0) {
      console.error('run `npm run web` and commit web/dist')
      process.exitCode = 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files that only one folder has, or that differ. */
function difference(committed: string, built: string): string[] {
  const [before, after] = [readFiles(committed), readFiles(built)]
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.filter((name) => before.get(name) === undefined || !before.get(name)?.equals(after.get(name) ?? NOTHING))
}

const NOTHING = Buffer.from('\0')

function readFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), readFileSync(path)]
    }),
  )
}
