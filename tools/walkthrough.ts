import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startScript } from '../bench/servers.ts'
import { statisticText } from '../src/cli/output/text.ts'
import { remote } from '../src/client/index.ts'
import type { Grade } from '../src/schemas/grade.ts'
import type { Sampling } from '../src/schemas/review.ts'
import { LABELS } from '../src/schemas/vocabulary.ts'
import { startPlayedJudge, TRIALS } from './walkthrough/played.ts'

/**
 * Tells the story of docs/audit.md, "A walkthrough": the service, its commands and pages are real; the judge `played` and the reviewer Ada are
 * played. FOLDER, a new one, keeps trials and database. `--pictures` takes the pictures of docs/images.
 */
const { values, positionals } = parseArgs({ options: { pictures: { type: 'boolean' } }, allowPositionals: true })
const folder = resolve(positionals[0] ?? mkdtempSync(join(tmpdir(), 'veridict-walkthrough-')))
if (positionals[0] !== undefined) mkdirSync(folder)
for (const [variant, trials] of Map.groupBy(TRIALS, ({ item }) => item.metadata.variant))
  writeFileSync(join(folder, `${variant}.ndjson`), trials.map(({ item }) => `${JSON.stringify(item)}\n`).join(''))
const judge = await startPlayedJudge()
const judges = { played: { provider: 'openai', base_url: judge.base_url, key_env: 'PLAYED_KEY', model: 'played' } }
writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ judges }))
const service = await startScript('src/server.ts', {
  VERIDICT_HOST: '127.0.0.1',
  VERIDICT_PORT: '0',
  VERIDICT_DATABASE: join(folder, 'audit.sqlite'),
  VERIDICT_CONFIG: join(folder, 'config.yaml'),
  PLAYED_KEY: 'played',
  VERIDICT_LOG_LEVEL: 'info',
})
const veridict = remote(service.origin)
const browser = values.pictures
  ? await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
  : null
try {
  await tell()
} finally {
  await browser?.close()
  await service.stop()
  judge.stop()
  if (positionals[0] === undefined) rmSync(folder, { recursive: true })
}

async function tell(): Promise<void> {
  await run('veridict batch terminal-bench.ndjson --judge lexical --name terminal-bench | grep -A1 "· graded"')
  await run('veridict batch tab.ndjson tab-defended.ndjson --judge lexical --name lexical | grep -A1 "· graded"')
  const lexical = (await veridict.batches()).items[0]?.id
  await run(`veridict regrade --batch ${lexical} --judge played --samples 3 --name played | grep -A1 "· graded"`)
  const played = (await veridict.batches()).items[0]?.id ?? ''
  await run(`veridict findings ${played} | grep -E "^class|^unverified"`)
  const { items: all } = await veridict.call('listGrades', { query: { batch: played, limit: 200 } })
  const grades = all.filter(({ label }) => label !== null)
  const told = grades.find(({ label, contradictions }) => label === 'compliant' && contradictions.length === 0)
  await picture('grades', '/grades', 'tbody tr')
  await picture('grade', `/grades/${told?.id}`, '.steps')
  await run(`veridict compare ${lexical} ${played} | head -n 20`)
  await picture('comparison', `/comparisons?base=${lexical}&head=${played}`, 'tbody tr')
  const readOpen = async () => (await veridict.disagreements({ judge: 'played', settled: false, limit: 200 })).items
  console.log(`The queue has ${(await readOpen()).length} questions.`)
  await picture('disagreements', '/disagreements', 'tbody tr')

  const sample = grades.toSorted((a, b) => knownOf(a).luck.drawn - knownOf(b).luck.drawn).slice(0, 60)
  for (const grade of sample) await review(grade, { design: 'random', probability: 60 / grades.length })
  const open = await readOpen()
  for (const { trajectory } of open.slice(0, 30))
    for (const grade of all.filter(({ receipt }) => receipt.trajectory === trajectory))
      await review(grade, { design: 'disagreement' })
  console.log(`Of these ${open.length} are open after the sample, and ${(await readOpen()).length} after 30 more.\n`)
  for (const name of ['played', 'lexical']) {
    const stored = { raters: ['human:Ada', `judge:${name}`], query: { ids: sample.map(({ id }) => id) } }
    console.log(`Ada and ${name}: κ ${statisticText((await veridict.agreement({ stored })).cohen_kappa)}`)
  }
  await printShares(grades)
  await run(
    'veridict report -j played --group-by variant --pair-by variant --base tab --head tab-defended | grep -E "^(group|all|tab|variant)|(resistance|alignment)\\."',
  )
  const report = '/report?judge=played&group_by=agent'
  await picture('report-shares', report, '.plot-section:has([data-plot=shares] svg)', 1100)
  await picture('report-scatter', report, '.plot-section:has([data-plot=alignment] svg)')
  const paired = `${report}&pair_by=variant&base=tab&head=tab-defended`
  await picture('report-paired', paired, '.plot-section:has([data-plot=paired] svg)')
  const queue = '/disagreements/review?settled=false&judge=played'
  await picture('review-blind', queue, '.step')
  await picture('review-done', queue, '.step', 900, async (page) => {
    await page.getByLabel('Who reviews').fill('Grace')
    await page.getByLabel('Who reviews').blur()
    for (const key of ['1', 's']) await page.keyboard.press(key)
    await page.locator('.opinions').evaluate((opinions) => opinions.scrollIntoView())
  })
}

/** Runs a line of the shell, and prints it with its output. */
async function run(line: string): Promise<void> {
  const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
  const shell = `veridict() { ${process.execPath} ${cli} "$@"; }; ${line}`
  const env = { ...process.env, VERIDICT_SERVER: service.origin, NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)('bash', ['-c', shell], { cwd: folder, env })
  console.log(`$ ${line}\n${stdout.trimEnd()}\n`)
}

function knownOf({ metadata }: Grade) {
  return TRIALS.find(({ item }) => item.item_id === metadata.trial) as (typeof TRIALS)[number]
}

/** Stores a review by Ada, who is wrong in one review of fifty. */
async function review(grade: Grade, sampling: Sampling): Promise<void> {
  const { label: truth, luck } = knownOf(grade)
  const label = LABELS[(LABELS.indexOf(truth) + (luck.slip < 0.02 ? 1 : 0)) % LABELS.length] ?? null
  await veridict.review(grade.id, { rater: 'Ada', label, blind: true, sampling })
}

/** Prints the shares of `played`, raw and corrected, beside the true shares of the trials that it graded. */
async function printShares(grades: readonly Grade[]): Promise<void> {
  const { overall } = await veridict.report({ judge: 'played', group_by: 'none' })
  const percent = (share: number): string => (100 * share).toFixed(1).padStart(5)
  console.log(`\n${overall?.corrected.n_reviews} reviews          true    judge                     corrected`)
  for (const label of LABELS) {
    const truth = grades.filter((grade) => knownOf(grade).label === label).length / grades.length
    const cells = [overall?.shares[label], overall?.corrected.shares[label]].map((figure) => {
      const [low = 0, high = 0] = figure?.ci95 ?? []
      const holds = low <= truth && truth <= high ? '✓' : '✗'
      return `${percent(figure?.value ?? 0)} [${percent(low)},${percent(high)}] ${holds}`
    })
    console.log(`  ${label.padEnd(16)}${[percent(truth), ...cells].join('   ')}`)
  }
  console.log()
}

/** Takes the picture of a page from the first element of a selector on, or from its top where the element is in the window. */
async function picture(name: string, path: string, seen: string, height = 900, act?: (page: Page) => Promise<void>) {
  const page = await browser?.newPage({ viewport: { width: 1400, height }, reducedMotion: 'reduce' })
  if (page === undefined) return
  await page.goto(`${service.origin}/audit${path}`)
  const first = page.locator(seen).first()
  await first.waitFor()
  if (seen.startsWith('.plot')) await first.evaluate((plot) => plot.scrollIntoView())
  await act?.(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/images/${name}.png`, import.meta.url)) })
  await page.close()
}
