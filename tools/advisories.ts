import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Known advisories for what is installed in production, by `npm audit`. Exit 1 where there is one. Where the registry does not
 * answer, it says so in plain words, and exits 0; with --required, 1: no answer is no clean bill.
 */

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
  readonly metadata?: { readonly dependencies?: { readonly prod?: number } }
  readonly message?: string
  readonly error?: { readonly summary?: string; readonly code?: string }
}

function ask(): Report {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 120_000 } as const
  const { stdout, error } = spawnSync('npm', ['audit', '--omit', 'dev', '--json'], options)
  if (error !== undefined) return { message: error.message }
  try {
    return JSON.parse(stdout) as Report
  } catch {
    return { message: 'npm audit answered no JSON' }
  }
}

const report = ask()
if (report.vulnerabilities === undefined) {
  const why = (report.message ?? report.error?.summary ?? report.error?.code ?? 'no reason given').split('\n', 1)[0]
  process.stdout.write(
    `advisories: NOT ASKED, the registry is not reachable for that (${why}): nothing is known either way\n`,
  )
  process.exitCode = process.argv.includes('--required') ? 1 : 0
} else {
  const known = Object.entries(report.vulnerabilities)
  for (const [name, { severity, range }] of known) process.stderr.write(`${severity}: ${name} ${range}\n`)
  const counted = `${report.metadata?.dependencies?.prod ?? '?'} production packages`
  process.stdout.write(`advisories: ${known.length === 0 ? 'none' : known.length} known for ${counted}\n`)
  process.exitCode = known.length === 0 ? 0 : 1
}
