import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Report } from '../../src/schemas/report.ts'
import { finish, makeItems, startBatch, UNREAD_ITEM } from '../http/make-batch.ts'
import { tempFolder } from '../temp-folder.ts'
import { startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, expectAccessible, findOverflow, startAudit, useAudit } from './browser.ts'

const PAIRED = 'judge=first&pair_by=variant&base=tab&head=defended'
const percent = (share: number) => `${(100 * share).toFixed(1)}%`

describeInBrowser('report', () => {
  const audit = useAudit(startWithTwoJudges)
  let folder: string
  beforeEach(async () => {
    folder = tempFolder()
  })
  const report = async (query: string) => await audit.app.read<Report>(`/v1/reports?group_by=agent&${query}`)

  test('several judges ask for one; then every plot is drawn, with its table', async () => {
    const page = await audit.open('/audit/report')
    await page.getByText('2 judges graded what is selected').waitFor()
    expect(await page.getByRole('region', { name: 'Choose a judge' }).innerText()).toMatch(/first\s+second/)
    audit.forgive(400)
    expect(await page.getByRole('link', { name: 'Save as CSV' }).count()).toBe(0)
    await page.getByRole('button', { name: 'first', exact: true }).click()
    await page.waitForSelector('[data-plot=alignment] svg')
    expect(await page.getByLabel('Judge', { exact: true }).inputValue()).toBe('first')
    await page.waitForFunction(() => document.querySelectorAll('.plot-box svg').length === 2)
    expect(await page.locator('.plot-section').count()).toBe(2)
    for (const section of await page.locator('.plot-section').all())
      expect(await section.locator('table').count()).toBeGreaterThan(0)
    await page.getByLabel('Pair by').selectOption('variant')
    await page.getByLabel('Base value').fill('tab')
    await page.getByLabel('Head value').fill('defended')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-plot=paired] svg')
    await expectAccessible(page)
  })

  test('where only one judge graded what is selected, nothing has to be chosen', async () => {
    await audit.open(`/audit/report?batch=${audit.batches[0].id}`, { until: '[data-plot=alignment] svg' })
  })

  test('the numbers are those of the service: bars, labels, intervals, denominators, failures', async () => {
    const all = await audit.open('/audit/report?judge=first&group_by=none', { until: '[data-plot=shares] svg' })
    expect(await all.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(3300)
    const { groups } = await report(PAIRED)
    const page = await audit.open(`/audit/report?${PAIRED}`, { until: '[data-plot=paired] svg' })
    const shares = page.getByRole('region', { name: 'Behaviour by agent' })
    for (const table of await page.locator('table.list:has(td[data-title="Group"])').all())
      expect(await table.locator('td').first().innerText()).toMatch(/^all trials/)
    const text = await shares.innerText()
    for (const { key, shares: rates, counts } of groups) {
      const { value, ci95, k, n } = rates['aligned'] ?? { value: null, ci95: null, k: 0, n: 0 }
      expect(text).toContain(`${key} (n=${counts.graded} graded)`)
      const limits = ci95?.map(percent).join(' to ')
      expect(text.replace(/\s+/g, ' ')).toContain(`${percent(value ?? 0)} ${limits} ${k}/${n}`)
    }
    expect(text).toContain('none: no review')
    const csv = page.getByRole('link', { name: 'Save as CSV' })
    expect(await csv.getAttribute('href')).toContain('format=csv')
    const bars = await page.locator('[data-plot=shares] g rect').count()
    const wanted = groups.flatMap((one) => Object.values(one.shares)).filter(({ value }) => (value ?? 0) > 0).length
    // Five more are the legend’s.
    expect(bars).toBe(wanted + 5)
    const widths = await page
      .locator('[data-plot=shares] g.mark-bar rect')
      .evaluateAll((all) => all.map((one) => Number(one.getAttribute('width'))))
    expect(Math.max(...widths) / Math.min(...widths)).toBeCloseTo(0.625 / 0.375, 1)
  })

  test('labels differ without colour, and a picture to take away has its colours in it', async () => {
    const page = await audit.open(`/audit/report?judge=first`, {
      colorScheme: 'dark',
      acceptDownloads: true,
      until: '[data-plot=shares] svg',
    })
    const patterns = await page
      .locator('[data-plot=shares] pattern')
      .evaluateAll((all) =>
        all.map((one) => [...one.querySelectorAll('path')].map((path) => path.getAttribute('d')).join()),
      )
    expect(new Set(patterns).size).toBe(5)
    const download = page.waitForEvent('download')
    await page
      .getByRole('region', { name: 'Behaviour by agent' })
      .getByRole('button', { name: 'Save this plot' })
      .click()
    const file = await download
    expect(file.suggestedFilename()).toBe('veridict-shares.svg')
    const path = join(folder, file.suggestedFilename())
    await file.saveAs(path)
    const picture = await audit.open(`/audit/report?judge=first`)
    await picture.goto(`file://${path}`)
    const root = await picture.evaluate(
      () => [document.documentElement.localName, document.documentElement.outerHTML] as const,
    )
    expect(root[0]).toBe('svg')
    expect(root[1]).not.toMatch(/var\(|currentColor|<script|<style|light-dark/)
    expect(root[1]).toContain('62.5%')
    const ink = await picture.evaluate(() => getComputedStyle(document.querySelector('text') ?? document.body).fill)
    expect(ink).toBe('rgb(27, 29, 32)')
  })

  test('reviews of a random sample give corrected shares beside the raw ones', async () => {
    const grades = (await audit.app.get('/v1/grades?judge=first&limit=200')).json<{
      items: { id: string; label: string }[]
    }>()
    for (const { id, label } of grades.items.slice(4)) {
      const body = { rater: 'Ada', label, blind: true, sampling: { design: 'random', probability: 0.75 } }
      expect((await audit.app.post(`/v1/grades/${id}/reviews`, body)).statusCode).toBe(201)
    }
    const { overall } = await report('judge=first')
    const page = await audit.open('/audit/report?judge=first', { until: '[data-plot=shares] svg' })
    const text = (await page.getByRole('region', { name: 'Behaviour by agent' }).innerText()).replace(/\s+/g, ' ')
    expect(overall?.corrected.estimator).toBe('post_stratified')
    expect(text).toContain('post stratified: the reviews are a random sample')
    const reason = page.locator('.plot-section dd .hostile', { hasText: 'the reviews' })
    expect(await reason.first().evaluate((node) => getComputedStyle(node).display)).toBe('inline')
    expect(text).toContain(percent(overall?.corrected.shares['aligned']?.value ?? -1))
    expect(await page.getByRole('region', { name: 'Judge first against humans' }).innerText()).toContain(
      '12 reviewed trials',
    )
  })

  test('beside the rates stands how much of what is counted is in doubt, and tasks are those that are named', async () => {
    const own = await startAudit()
    onTestFinished(() => own.stop())
    const [first, second] = makeItems(2, { judge: 'lexical' }) as [{ ground_truth: object }, object]
    const doubted = { ...first.ground_truth, signals: { appeared: false } }
    const items = [{ ...first, ground_truth: doubted, metadata: { task: 't' } }, second, UNREAD_ITEM]
    const { id } = await startBatch(own.app, items)
    await finish(own.app, id)
    const { overall } = await own.app.read<Report>(`/v1/reports?batch=${id}`)
    expect(overall?.counts).toMatchObject({ graded: 3, contradicted: 2, unread: 1, tasks: 1, without_task: 2 })
    for (const width of [1280, 400]) {
      const page = await own.open(`/audit/report?batch=${id}`, { viewport: { width, height: 800 } })
      await page.getByText('2 with contradictions, 1 with unread records', { exact: true }).waitFor()
      const beside = page.getByText('3 graded: 2 with contradictions, 1 with unread records')
      // The row of all trials, in the tables of shares, of claims and of capability.
      expect(await beside.count()).toBe(3)
      const table = page.getByRole('region', { name: /^Trials of each group/ })
      expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
      const cells = (title: string) => page.locator(`td[data-title="${title}"]`).allInnerTexts()
      // The total comes first, then codex and not given.
      expect(await cells('Tasks')).toEqual(['1', '0', '1'])
      expect(await cells('Without a task')).toEqual(['2', '1', '1'])
      expect(await findOverflow(page)).toEqual([])
    }
    expect(own.complaints).toEqual([])
  })
})
