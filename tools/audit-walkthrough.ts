import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeArchive } from './walkthrough/archive.ts'
import { gradeByBoth, importArchive, knownTrials, readGrades } from './walkthrough/grading.ts'
import { reviewQueue, reviewSample } from './walkthrough/human.ts'
import { startPlayedJudge } from './walkthrough/played-judge.ts'
import { heading, say } from './walkthrough/printing.ts'
import { sayCorrection, sayDifferences, sayNumbers, sayReport, saySettled } from './walkthrough/results.ts'
import { takeScreenshots } from './walkthrough/screenshots.ts'
import { startService } from './walkthrough/service.ts'
import { makeTrials } from './walkthrough/trials.ts'

/** The story of docs/audit.md with real code: from an archive to a report, on a database of its own and on loopback only. */
const REVIEWED = 60
const QUEUE = 30

const { values } = parseArgs({
  options: { screenshots: { type: 'string' }, keep: { type: 'boolean', default: false } },
})

const folder = mkdtempSync(join(tmpdir(), 'veridict-walkthrough-'))
const trials = makeTrials()
const provider = await startPlayedJudge(trials)
const service = await startService(folder, provider.origin)
try {
  say(
    'The judge "played" and the human "Ada" are PLAYED by this script: no live model was asked, and no person. The archive, the',
  )
  say('service, the command line, the evidence gate and all statistics are the real ones.')
  heading('Import')
  writeArchive(folder, trials)
  await importArchive(service)
  heading('Grade and grade again')
  const batches = await gradeByBoth(service)
  say(`calls that the played judge answered: ${provider.calls()}`)
  heading('How far the judges are apart')
  await sayDifferences(service, batches)
  heading('Review')
  const grades = await readGrades(service, batches.played)
  const known = knownTrials(trials, grades)
  const graded = grades.filter(({ status }) => status === 'graded')
  const sample = await reviewSample(service, known, graded, REVIEWED)
  say(`a random sample of ${sample.length} of ${graded.length} graded questions, blind`)
  const queue = await reviewQueue(service, known, 'played', QUEUE)
  say(`then the ${queue} most telling questions of the queue that nobody had reviewed, blind`)
  await sayNumbers(service, known, grades, sample)
  heading('Report')
  await sayReport(service)
  if (values.screenshots !== undefined) {
    heading('Screenshots')
    await takeScreenshots(service, batches, grades, values.screenshots)
  }
  heading('The rest of the queue')
  const rest = await reviewQueue(service, known, 'played', grades.length)
  say(`${rest} more reviews, blind; ${await saySettled(service)}`)
  await sayCorrection(service)
} finally {
  await service.stop()
  await provider.stop()
  if (values.keep) say(`\nkept: ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
