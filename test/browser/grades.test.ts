import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser, expectAccessible, expectInSight, gradeExamples, startAudit, useAudit } from './browser.ts'

describeInBrowser('the list of grades', () => {
  const audit = useAudit(startAudit, 'once')
  beforeAll(async () => {
    await gradeExamples(audit.app)
  })
  const rows = 'table.list tbody tr'

  test('/ leads to it, and it shows every grade with counts', async () => {
    const page = await audit.open('/', { until: rows })
    expect(new URL(page.url()).pathname).toBe('/audit/')
    expect(await page.locator(rows).count()).toBe(8)
    expect(await page.locator('.counts').innerText()).toContain('8 grades')
    expect(await page.title()).toBe('Grades · Veridict audit')
  })

  test('a filter is a part of the address, and the address is enough', async () => {
    const page = await audit.open('/audit/grades')
    await page.getByLabel('Label', { exact: true }).selectOption('ignored')
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 2)
    expect(new URL(page.url()).search).toBe('?label=ignored')
    const again = await audit.open('/audit/grades?label=ignored&task=ignored-claude-code', { until: rows })
    expect(await again.locator(rows).count()).toBe(1)
    await again.getByRole('button', { name: 'Clear' }).click()
    await again.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 8)
    await again.goBack()
    await again.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 1)
  })

  test('a typed filter waits for the end of the word, and is one step of the history', async () => {
    const page = await audit.open('/audit/grades', { until: rows })
    await page.getByLabel('Task', { exact: true }).pressSequentially('compliant-codex', { delay: 20 })
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 1)
    expect(new URL(page.url()).search).toBe('?task=compliant-codex')
    await page.goBack()
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 8)
    expect(await page.getByLabel('Task', { exact: true }).inputValue()).toBe('')
  })

  const column = (page: Page, title: string) => page.locator(`${rows} td[data-title="${title}"]`).allInnerTexts()

  test('a row is a trial, with who graded it and what came out', async () => {
    const page = await audit.open('/audit/grades?task=compliant-codex', { until: rows })
    const cells = await Promise.all(
      ['Task', 'Agent', 'Judge', 'Label', 'Confidence', 'Evidence'].map((title) => column(page, title)),
    )
    expect(cells.flat()).toEqual([
      'compliant-codex',
      'codex',
      'lexical',
      'compliant',
      'low',
      expect.stringMatching(/^(\d) of \1 hold\n1 contradiction$/),
    ])
  })

  test('is sorted by any column, and the address says how', async () => {
    const page = await audit.open('/audit/grades', { until: rows })
    const newest = await column(page, 'Task')
    const sorted = newest.toSorted()
    await page.getByRole('button', { name: 'Task' }).click()
    await expect.poll(() => column(page, 'Task')).toEqual(sorted)
    expect(new URL(page.url()).search).toBe('?sort=task')
    expect(await page.getByRole('columnheader', { name: 'Task' }).getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Task' }).click()
    await expect.poll(() => column(page, 'Task')).toEqual(sorted.toReversed())
    await page.getByRole('button', { name: 'Task' }).click()
    await expect.poll(() => column(page, 'Task')).toEqual(newest)
    const other = await audit.open('/audit/grades?sort=-confidence', { until: rows })
    const RANKS = ['high', 'medium', 'low', '–']
    const ranks = (await column(other, 'Confidence')).map((word) => RANKS.indexOf(word))
    expect(ranks).toEqual(ranks.toSorted())
    expect(new Set(ranks).size).toBe(4)
  })

  test('a grade leads to those beside it in its list, and back', async () => {
    const page = await audit.open('/audit/grades?label=ignored&sort=-task', { until: rows })
    const [first, second] = await column(page, 'Task')
    await page.locator(`${rows} a.row-link`).first().click()
    const heading = page.locator('h1')
    await page.getByText('1 of 2').waitFor()
    expect(await heading.innerText()).toContain(first)
    expect(await page.getByRole('button', { name: 'Previous grade' }).isDisabled()).toBe(true)
    await page.keyboard.press('J')
    await page.getByText('2 of 2').waitFor()
    await expect.poll(() => heading.innerText()).toContain(second)
    // A loaded page and evidence do not lose the list.
    await page.reload()
    await page.getByText('2 of 2').waitFor()
    await page.waitForSelector('.step')
    await page.locator('#claim-1 a').first().click()
    await page.waitForFunction(() => document.activeElement?.id === 'citation-1')
    await page.getByRole('button', { name: 'Previous grade' }).click()
    await page.getByText('1 of 2').waitFor()
    await page.getByRole('link', { name: 'The list' }).click()
    await page.waitForSelector(rows)
    expect(new URL(page.url()).search).toBe('?label=ignored&sort=-task')
  })

  test('is usable at 400 pixels: a row is a card, the filters come when asked for', async () => {
    const page = await audit.open('/audit/grades?label=ignored', { viewport: { width: 400, height: 800 }, until: rows })
    expect(await page.getByLabel('Agent', { exact: true }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters: 1 chosen' }).click()
    await page.getByLabel('Agent', { exact: true }).fill('claude-code')
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 1)
    await page.locator(`${rows} td[data-title="Evidence"]`).scrollIntoViewIfNeeded()
    await expectInSight(page, `${rows} td[data-title="Evidence"]`)
    await expectAccessible(page)
  })

  test('is read without a mouse: j, k, Enter, and ? says so', async () => {
    const page = await audit.open('/audit/grades', { until: rows })
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href'))
    const hrefs = await page
      .locator(`${rows} a.row-link`)
      .evaluateAll((links) => links.map((one) => one.getAttribute('href')))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await focused()).toBe(hrefs[1])
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').innerText()).toContain('next row')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.step')
    expect(new URL(page.url()).pathname).toBe(hrefs[1]?.split('?')[0])
  })

  test('single keys can be switched off', async () => {
    const page = await audit.open('/audit/grades', { until: rows })
    await page.getByRole('button', { name: 'Keys' }).click()
    await page.getByLabel('Single keys do something').uncheck()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('j')
    expect(await page.evaluate(() => document.activeElement?.classList.contains('row-link'))).toBe(false)
  })

  test('the first stop of the keyboard skips to the page', async () => {
    const page = await audit.open('/audit/grades')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })

  test('pages of a long list', async () => {
    const some = (await audit.app.get('/v1/grades?limit=1')).json<{ items: { receipt: { trajectory: string } }[] }>()
    const trajectory = { id: some.items[0]?.receipt.trajectory }
    const truth = { instruction: 'Do it.', cue: { text: 'nothing that stands in any of the examples' } }
    const asked = { trajectory, ground_truth: truth, cache: 'refresh' }
    for (let run = 0; run < 105; run++)
      await audit.app.post('/v1/grades', { ...asked, metadata: { task: 'long', run_index: run } })
    const page = await audit.open('/audit/grades?task=long')
    await page.getByText('105 grades').waitFor()
    await page.getByText('Page 1 of 2').waitFor()
    expect(await page.locator(rows).count()).toBe(100)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 5)
    await page.getByRole('button', { name: 'Page before' }).click()
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 100)
  })

  test('what goes wrong is said', async () => {
    const page = await audit.open('/audit/grades?cursor=nonsense', { until: '[role=alert]' })
    expect(await page.getByRole('alert').innerText()).toContain('Cannot show the grades.')
    audit.complaints.splice(0)
    const nowhere = await audit.open('/audit/nowhere/at/all')
    expect(await nowhere.locator('h1').innerText()).toBe('No such page')
  })

  test.each(['light', 'dark'] as const)('breaks no accessibility rule in %s', async (colorScheme) => {
    const page = await audit.open('/audit/grades', { colorScheme, until: rows })
    await expectAccessible(page)
  })
})
