import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { finish, startBatch } from '../http/make-batch.ts'
import { makeTrials, startWithJudges, startWithTwoJudges } from './audit-data.ts'
import { type Audit, describeInBrowser, findOverflow, settled, useAudit } from './browser.ts'
import { makeLongRun } from './long-run.ts'

/** Every page, with nothing, with one grade, with many, and with a long run. `SCREENSHOTS=folder` keeps what they look like. */
const { SCREENSHOTS } = process.env
if (SCREENSHOTS !== undefined) mkdirSync(SCREENSHOTS, { recursive: true })

const WINDOWS = {
  wide: { width: 1400, height: 800 },
  columns: { width: 720, height: 800 },
  narrow: { width: 400, height: 800 },
}

interface State extends Audit {
  /** Name → path below `/audit`. */
  readonly pages: Readonly<Record<string, string>>
}

const STATES: Readonly<Record<string, () => Promise<State>>> = {
  async 'no grade'() {
    return { ...(await startWithJudges()), pages: EVERYWHERE }
  },
  async 'one grade'() {
    const audit = await startWithJudges()
    const { batch } = await finish(audit.app, (await startBatch(audit.app, makeTrials(1))).id)
    return { ...audit, pages: { ...EVERYWHERE, ...(await pagesOf(audit, batch)) } }
  },
  async '300 grades'() {
    const { batches, ...audit } = await startWithTwoJudges(150)
    const [base, head] = batches
    const compared = `comparisons?base=${base.id}&head=${head.id}`
    return {
      ...audit,
      pages: {
        ...EVERYWHERE,
        ...(await pagesOf(audit, base)),
        comparison: compared,
        flips: `${compared}&cell=aligned.ignored`,
        'report of one judge': 'report?judge=first&group_by=agent',
        'report of pairs': 'report?judge=first&group_by=agent&pair_by=variant&base=tab&head=defended',
      },
    }
  },
  async 'a run of 5,000 steps'() {
    const audit = await startWithJudges()
    const grade = await audit.app.tell<Grade>('/v1/grades', makeLongRun(5000))
    const path = `grades/${grade.id}`
    return { ...audit, pages: { grade: path, evidence: `${path}#citation-1`, step: `${path}#step-4321` } }
  },
}

const EVERYWHERE = {
  grades: 'grades',
  'grades that fit nothing': 'grades?task=nothing',
  batches: 'batches',
  disagreements: 'disagreements',
  'disagreements shown': 'disagreements?labels=shown',
  'review of disagreements': 'disagreements/review',
  sample: 'sample',
  'review of a sample': 'sample/review?rater=Ada&design=random&size=5&seed=7&judge=first',
  comparisons: 'comparisons',
  report: 'report',
  'sign in': 'sign-in',
  'no page': 'nowhere',
}

async function pagesOf({ app }: Audit, batch: Batch): Promise<Record<string, string>> {
  const { items } = (await app.get('/v1/grades?limit=1')).json<{ items: Grade[] }>()
  return {
    grade: `grades/${items[0]?.id}`,
    evidence: `grades/${items[0]?.id}#citation-2`,
    batch: `batches/${batch.id}`,
  }
}

/** Lines of text that a box with a scroll bar cuts off at its right, in a window whose tables are cards. */
const findCut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.scroll:has(td[data-title])')].flatMap((box) => {
      const { right } = box.getBoundingClientRect()
      const over = [...box.querySelectorAll('td *')].filter((one) => one.getBoundingClientRect().right > right + 1)
      return over.map((one) => `cut off: ${one.textContent}`)
    }),
  )

/** Words of programs, where a reader wants to know why there is nothing. */
const findRawWords = async (page: Page): Promise<string[]> => {
  const text = await page.locator('main').innerText()
  return [...text.matchAll(/.*\b(null|undefined|NaN|\[object)\b.*/g)].map(([line]) => line)
}

/** Keys with two meanings on a page, and ids or digests in place of a name in a list. */
const findUnclear = async (page: Page): Promise<string[]> => {
  await page.getByRole('button', { name: /^Keys/ }).click()
  const keys = await page.locator('dialog kbd').allInnerTexts()
  await page.getByRole('button', { name: 'Close' }).click()
  const names = await page.locator('table.list .row-link').allInnerTexts()
  return [
    ...keys.filter((key, place) => keys.indexOf(key) !== place).map((key) => `key with two meanings: ${key}`),
    ...names.filter((name) => /grd_|run [0-9a-f]{8}|sha256/.test(name)).map((name) => `no name: ${name}`),
  ]
}

describeInBrowser('every page', () => {
  describe.each(Object.entries(STATES))('with %s', (name, start) => {
    const audit = useAudit(start, 'once')

    test.each(Object.entries(WINDOWS))('%s', async (window, viewport) => {
      const page = await audit.open('/audit/grades', { viewport })
      const problems: string[] = []
      for (const [title, path] of Object.entries(audit.pages)) {
        await page.goto(`${audit.origin}/audit/${path}`)
        await settled(page)
        if (SCREENSHOTS !== undefined)
          await page.screenshot({ path: join(SCREENSHOTS, `${name} ${title} ${window}.png`.replaceAll(' ', '-')) })
        // A report of several judges is refused, and asks for one.
        const complaints = audit.complaints.splice(0).filter((one) => path !== 'report' || !/status of 400/.test(one))
        const found = [...(await findOverflow(page)), ...complaints, ...(await findRawWords(page))]
        if (window === 'narrow') found.push(...(await findCut(page)))
        if (window === 'wide') found.push(...(await findUnclear(page)))
        problems.push(...found.map((problem) => `${path}: ${problem}`))
      }
      expect(problems).toEqual([])
    })
  })
})
