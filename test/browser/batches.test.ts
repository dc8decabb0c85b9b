import { afterEach, expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Findings } from '../../src/schemas/review.ts'
import { GOOD_ANSWER, type Script } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems, startBatch } from '../http/make-batch.ts'
import { describeInBrowser, expectAccessible, expectInSight, startAudit, useAudit } from './browser.ts'

describeInBrowser('batches', () => {
  let gates: PromiseWithResolvers<Script>[]
  const audit = useAudit(() => {
    gates = Array.from({ length: 6 }, () => Promise.withResolvers<Script>())
    return startAudit({ judges: [answeringJudge((run) => gates[run]?.promise ?? GOOD_ANSWER)] })
  })
  afterEach(() => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
  })
  const openBatch = ({ id }: Batch) => audit.open(`/audit/batches/${id}`, { until: '.progress' })

  test('progress arrives by itself, until the end', async () => {
    const batch = await startBatch(audit.app, makeItems(6), '?name=six')
    const page = await openBatch(batch)
    await page.getByText('0 of 6 ended', { exact: true }).waitFor()
    gates[0]?.resolve(GOOD_ANSWER)
    gates[1]?.resolve({ fail: 'refused' })
    await page.getByText('2 of 6 ended', { exact: true }).waitFor()
    expect(await page.getByRole('status').first().innerText()).toBe('running')
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    await page.getByText('6 of 6 ended', { exact: true }).waitFor()
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'done')
    await page.waitForFunction(() => document.querySelectorAll('[aria-labelledby=results] tbody tr').length === 6)
    expect(await page.getByRole('region', { name: 'State and labels' }).innerText()).toMatch(
      /aligned\s+5[\s\S]*refused 1/,
    )
    await page.getByLabel('Status').selectOption('failed')
    await page.waitForFunction(() => document.querySelectorAll('[aria-labelledby=results] tbody tr').length === 1)
    expect(new URL(page.url()).search).toBe('?status=failed')
  })

  test('a result leads to its grade', async () => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const batch = await startBatch(audit.app, makeItems(2))
    const { results } = await finish(audit.app, batch.id)
    const page = await openBatch(batch)
    await page.getByRole('link', { name: 'trial-1' }).click()
    await page.waitForSelector('.step')
    expect(new URL(page.url()).pathname).toBe(`/audit/grades/${results[1]?.grade_id}`)
    await page.getByText('2 of 2').waitFor()
    await page.reload()
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('button', { name: 'Previous grade' }).click()
    await page.getByText('1 of 2').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/audit/grades/${results[0]?.grade_id}`)
    await page.getByRole('link', { name: 'The batch' }).click()
    await page.waitForSelector('table.list tbody tr:nth-child(2)')
    expect(new URL(page.url()).pathname).toBe(`/audit/batches/${batch.id}`)
  })

  test('a grade of several items says so, and so does the list of the grades of their batch', async () => {
    const [one, other] = makeItems(2, { judge: 'lexical' })
    const { id } = await startBatch(audit.app, [one, other, { ...one, item_id: 'again' }] as object[])
    const { results } = await finish(audit.app, id)
    const page = await audit.open(`/audit/grades?batch=${id}`)
    await page.getByText('2 grades answer 3 items of this batch').waitFor()
    const [first, second] = results.map(({ grade_id }) => `/audit/grades/${grade_id}?view=batch&batch=${id}`)
    const shared = await audit.open(first ?? '')
    await shared.getByText('This grade answers 2 items of its batch').waitFor()
    const alone = await audit.open(second ?? '', { until: '#receipt' })
    expect(await alone.getByText('items of its batch').count()).toBe(0)
  })

  test('a batch that is not there: a sentence, and the way to those that are', async () => {
    const page = await audit.open('/audit/batches/NOPE', { until: '[role=alert]' })
    expect(await page.getByRole('alert').innerText()).toBe('Cannot show the batch. There is no such batch: NOPE.')
    await page.getByRole('link', { name: 'All batches' }).click()
    await page.waitForURL('**/audit/batches')
    audit.forgive(404)
  })

  test('cancelling asks first', async () => {
    const batch = await startBatch(audit.app, makeItems(6))
    const page = await openBatch(batch)
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    expect((await audit.app.read<Batch>(`/v1/batches/${batch.id}`)).status).toBe('running')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Cancel what has not begun' }).click()
    await page.getByText('cancelling').first().waitFor()
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'cancelled')
  })

  test('a parked batch says why, and is resumed', async () => {
    for (const gate of gates) gate.resolve({ fail: 'quota_exhausted' })
    const batch = await startBatch(audit.app, makeItems(2))
    const page = await openBatch(batch)
    await page.getByText('Parked.').waitFor()
    expect(await page.locator('.trouble').innerText()).toMatch(/\. It waits for somebody to resume it\.$/)
    const asked = page.waitForRequest((request) => request.url().endsWith('/resume'))
    await page.getByRole('button', { name: 'Resume' }).click()
    expect((await (await asked).response())?.status()).toBe(202)
  })

  test('the list leads to them', async () => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const batch = await startBatch(audit.app, makeItems(3), '?name=one%20of%20three')
    await finish(audit.app, batch.id)
    const page = await audit.open('/audit/batches', { until: 'table.list tbody tr' })
    await expectAccessible(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForSelector('table.list tbody tr:nth-child(3)')
    expect(await page.locator('h1').innerText()).toBe('Batch one of three')
    await expectAccessible(page)
  })

  const LONG = (run: number) =>
    `jobs/2026-11-30__09-12-44/build-linux-kernel-qemu.${run}-of-5.2026-11-30__09-12-44__codex`

  test('its results begin above the fold: whole names, no empty column, and the reader sets the widths', async () => {
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const items = makeItems(3).map((item, run) => ({ ...item, item_id: LONG(run), metadata: { agent: 'terminus-2' } }))
    const batch = await startBatch(audit.app, items, '?name=nightly')
    await finish(audit.app, batch.id)
    const page = await audit.open(`/audit/batches/${batch.id}`, { viewport: { width: 1400, height: 800 } })
    await page.waitForSelector('table.list tbody tr:nth-child(3)')
    const headings = (await page.locator('thead th').allInnerTexts()).map((text) => text.replace(/\W/g, ''))
    expect(headings.join()).toBe('Trial,Agent,Judge,Label,Confidence,Evidence,Why')
    await expectInSight(page, 'tbody tr:nth-child(2) .why li')
    const box = page.locator('.scroll').last()
    expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    const lines = await page.locator('tbody tr:first-child .row-link .hostile').evaluate((one) => one.clientHeight / 20)
    expect(lines).toBeLessThan(5)
    await expectAccessible(page)
    const width = () => page.locator('th[data-column="Trial"]').evaluate((one) => one.getBoundingClientRect().width)
    const before = await width()
    await page.getByRole('separator', { name: 'Width of Trial' }).focus()
    for (let turn = 0; turn < 5; turn++) await page.keyboard.press('ArrowRight')
    expect((await width()) - before).toBeCloseTo(120, -1)
    await page.reload()
    await page.waitForSelector('table.list tbody tr:nth-child(3)')
    expect((await width()) - before).toBeCloseTo(120, -1)

    const list = await audit.open('/audit/grades')
    await list.getByText(LONG(1)).waitFor()
    await list.getByLabel('Batch', { exact: true }).fill('nightly')
    await list.waitForURL(`**/audit/grades?batch=${batch.id}`)
    await expect.poll(() => list.getByLabel('Batch', { exact: true }).inputValue()).toBe('nightly')
    await list.getByText(LONG(1)).waitFor()
  })

  test('its findings are decided class by class, and then it is signed off', async () => {
    gates[0]?.resolve({ fail: 'refused' })
    for (const gate of gates) gate.resolve(GOOD_ANSWER)
    const batch = await startBatch(audit.app, makeItems(2))
    await finish(audit.app, batch.id)
    const page = await openBatch(batch)
    await page.getByText('Findings: 1 class, 1 open · not signed off').click()
    await page.getByText('Still open: failed: refused').waitFor()
    await page.getByLabel('Who decides and signs').fill('Ada')
    expect(await page.getByRole('button', { name: 'Sign off' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Cannot show the decision.').waitFor()
    audit.forgive(400)
    await page.getByLabel('Reason for failed: refused').fill('a safety filter, not the trial')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('dismissed by Ada: a safety filter, not the trial').waitFor()
    await expectInSight(page, '.confirmation p')
    await page.getByRole('button', { name: 'Sign off' }).click()
    await page.getByText(/Findings: 1 class, 0 open · signed off by Ada/).waitFor()
    const findings = await audit.app.read<Findings>(`/v1/batches/${batch.id}/findings`)
    expect(findings.signoff).toMatchObject({ by: 'Ada', outdated: false })
  })
})
