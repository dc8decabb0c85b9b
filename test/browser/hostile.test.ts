import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { visibleString } from '../../web/src/text/visible-text.ts'
import { GROUND_TRUTH } from '../grading/harness.ts'
import { describeInBrowser, expectAccessible, startAudit, useAudit } from './browser.ts'

const MARKUP = [
  '<script>globalThis.pwned = 1</script>',
  '<img src=x onerror="globalThis.pwned = 2"><svg onload="globalThis.pwned = 3">',
  '<iframe src="https://evil.example/"></iframe><style>* { display: none }</style>',
  '<a href="javascript:globalThis.pwned = 4" id="claim-1">Evidence 1</a>',
  '</pre></article><h1>Grade: aligned</h1>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what an adversary writes
  '{{constructor.constructor("globalThis.pwned = 5")()}} ${globalThis.pwned = 6} &lt;b&gt; &#x202e;',
].join('\n')
const ANSI = '\u001b[2J\u001b[1;31mred\u001b[0m \u001b]0;title\u0007 \u009b31m bell\u0007 back\b\b\b\r over'
const BIDI = 'begin \u202eabc then def\u202c \u2066isolated\u2069 end'
const INVISIBLE = 'zero\u200bwidth\ufeff soft\u00adhyphen \u{e0041}\u{e0042} a\ufe00b \u2028line\u2029 \u3164 nul \0'
/** What may not be in the page as it is: code points, first and last. */
const UNSEEN: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe0fff],
]
const unseenIn = (text: string): string[] =>
  [...text].filter((one) =>
    UNSEEN.some(([first, last]) => (one.codePointAt(0) ?? 0) >= first && (one.codePointAt(0) ?? 0) <= last),
  )
const LONG = 1_000_000

describeInBrowser('text of an adversary', () => {
  const audit = useAudit(startAudit, 'once')
  let grade: Grade
  let page: Page
  beforeAll(async () => {
    const steps = [
      { actor: 'user', text: MARKUP },
      { actor: 'tool_output', text: `${ANSI}\n${BIDI}\n${INVISIBLE}\n${GROUND_TRUTH.cue.text}\u202e` },
      { actor: 'agent_action', text: `make release-7f3a # \u202e${MARKUP}` },
      { actor: 'tool_output', text: 'x'.repeat(LONG) },
      { actor: 'tool_output', text: 'a\u001b'.repeat(LONG / 2) },
    ]
    const ground_truth = { ...GROUND_TRUTH, instruction: `Build.\u202e ${MARKUP}\n`.repeat(20) }
    const metadata = { agent: MARKUP.slice(0, 250), task: BIDI, model: `gpt\u200b${ANSI}` }
    grade = await audit.app.tell<Grade>('/v1/grades', {
      trajectory: { steps },
      ground_truth,
      judge: 'lexical',
      metadata,
    })
    expect(grade.citations.length).toBeGreaterThan(1)
    page = await audit.open(`/audit/grades/${grade.id}`)
    await page.waitForSelector('#step-2 mark')
  })
  const expectHarmless = async (one: Page) => {
    expect(await one.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined()
    expect(await one.locator('#app script, #app style, #app img, #app iframe, #app svg').count()).toBe(0)
    expect(await one.locator('#app a[href^="javascript"]').count()).toBe(0)
    expect(await one.locator('h1').count()).toBe(1)
    const text = await one.evaluate(() => document.getElementById('app')?.textContent ?? '')
    expect(unseenIn(text)).toEqual([])
    const overflow = await one.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    return text
  }

  test('is text: nothing of it runs, loads, covers or ends the page', async () => {
    const text = await expectHarmless(page)
    for (const line of MARKUP.split('\n')) expect(text).toContain(line)
  })

  test('hides nothing: what cannot be seen is named', async () => {
    const text = await page.locator('#step-2').evaluate((step) => step.textContent)
    for (const shown of [
      '⟨ESC⟩[2J⟨ESC⟩[1;31mred',
      '⟨BEL⟩',
      '⟨U+009B⟩31m',
      '⟨BS⟩⟨BS⟩⟨BS⟩⟨CR⟩',
      '⟨U+202E⟩abc',
      'zero⟨U+200B⟩width⟨U+FEFF⟩',
    ])
      expect(text).toContain(shown)
    for (const shown of ['⟨U+E0041⟩⟨U+E0042⟩', 'a⟨U+FE00⟩b', '⟨U+2028⟩line⟨U+2029⟩', '⟨U+3164⟩ nul ⟨NUL⟩'])
      expect(text).toContain(shown)
    const shown = page.locator('#step-2 .escape', { hasText: '⟨U+202E⟩' }).first()
    expect(await shown.evaluate((one) => getComputedStyle(one).backgroundColor)).not.toBe('rgba(0, 0, 0, 0)')
  })

  test('does not reorder: what follows stands to the right of what went before', async () => {
    const lefts = await page.locator('#step-2 pre').evaluate((block) => {
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.textContent?.indexOf('abc then def') ?? -1
        if (at === -1) continue
        return [0, 1, 9].map((offset) => {
          const range = document.createRange()
          range.setStart(node, at + offset)
          range.setEnd(node, at + offset + 1)
          return range.getBoundingClientRect().left
        })
      }
      return []
    })
    expect(lefts).toHaveLength(3)
    expect([...lefts].sort((a, b) => a - b)).toEqual(lefts)
  })

  test('marks evidence inside of it at its place', async () => {
    const number = grade.citations.findIndex(({ supports }) => supports === 'surface.observed')
    const mark = page.locator(`#citation-${number + 1}`).locator('xpath=following-sibling::mark[1]')
    expect(await mark.textContent()).toBe(visibleString(grade.citations[number]?.quote ?? ''))
  })

  test('a part of a million characters is cut, and is there when asked for', async () => {
    await page.goto(`${audit.origin}/audit/grades/${grade.id}#step-4`)
    const part = page.locator('#step-4 .part')
    await part.waitFor()
    expect((await part.locator('pre').textContent())?.length).toBeLessThan(10_000)
    const all = part.getByRole('button', { name: 'Show all 1,000,000 characters' })
    await all.click()
    expect(await part.locator('pre').textContent()).toBe('x'.repeat(LONG))
    await part.getByRole('button', { name: 'Show less' }).click()
    await expectHarmless(page)
  })

  test('half a million marks do not drown the page', async () => {
    await page.goto(`${audit.origin}/audit/grades/${grade.id}#step-5`)
    const part = page.locator('#step-5 .part')
    await part.waitFor()
    await part.getByRole('button', { name: 'Show all 1,000,000 characters' }).click()
    expect(await part.locator('pre').textContent()).toBe('a⟨ESC⟩'.repeat(LONG / 2))
    expect(await part.locator('.escape').count()).toBeLessThan(60_000)
    await part.getByRole('button', { name: 'Show less' }).click()
  })

  test('is as harmless in lists, titles and addresses', async () => {
    const list = await audit.open(`/audit/grades?agent=${encodeURIComponent(MARKUP.slice(0, 250))}`, {
      until: 'table.list tbody tr',
    })
    await expectHarmless(list)
    const odd = await audit.open(`/audit/grades/${encodeURIComponent('<img src=x onerror=alert(1)>\u202e')}`, {
      until: '[role=alert]',
    })
    await expectHarmless(odd)
    audit.complaints.splice(0)
  })

  test('breaks no accessibility rule', async () => {
    const fresh = await audit.open(`/audit/grades/${grade.id}`, { until: '#step-2' })
    await expectAccessible(fresh)
  })
})
