import { describe, expect, test } from 'vitest'
import { MOST_PICTURE_CHARS } from '../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { parsePicture } from '../../src/formats/common/pictures.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { GIF, JPEG, PNG, pngOf, runWithPictures, WEBP } from '../pictures.ts'

const URL_OF_PNG = `data:image/png;base64,${PNG}`
const source = { type: 'base64', media_type: 'image/png', data: PNG }
const answer = { role: 'assistant', content: 'I see.' }
const shown = (...content: object[]) => ({ messages: [{ role: 'user', content }, answer] })
/** A document of each reader with one picture in what a tool answered, or where the format keeps it. */
const DOCUMENTS: readonly (readonly [string, object])[] = [
  ['a message of the Messages API', shown({ type: 'image', source })],
  [
    'a result of Claude Code',
    {
      records: [
        {
          type: 'assistant',
          sessionId: 's',
          message: { content: [{ type: 'tool_use', id: 'c', name: 'Read', input: {} }] },
        },
        {
          ...{ type: 'user', sessionId: 's' },
          message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'image', source }] }] },
        },
      ],
    },
  ],
  ['a data URL of a chat', shown({ type: 'image_url', image_url: { url: URL_OF_PNG } })],
  ['a source of ATIF that holds its data', runWithPictures([{ media_type: 'image/png', path: 'a.png', data: PNG }])],
  ['a data URL in an ATIF path', runWithPictures([{ media_type: 'image/png', path: URL_OF_PNG }])],
]

const LIMITS = { max_steps: 100, max_part_chars: 100_000 }

function picturesOf(document: object) {
  const read = readTrajectory(document, LIMITS)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const parts = read.value.steps.flatMap((step) => step.parts)
  return { media: parts.filter((part) => part.media), warnings: read.value.warnings }
}

describe('pictures that a document holds', () => {
  test.each(DOCUMENTS)('%s', (_, document) => {
    const { media } = picturesOf(document)
    expect(media.map(({ picture }) => picture)).toMatchObject([
      { media_type: 'image/png', data: PNG, width: 1, height: 1 },
    ])
    // Nothing of the base64 is text that is searched, shown or counted.
    expect(media[0]?.text.length).toBeLessThan(60)
  })

  test('a link is a placeholder and nothing is wrong with it', () => {
    const { media, warnings } = picturesOf(
      runWithPictures([{ media_type: 'image/png', path: 'https://x.example/a.png' }]),
    )
    expect(media).toMatchObject([{ text: '[image: https://x.example/a.png]' }])
    expect(media[0]).not.toHaveProperty('picture')
    expect(warnings).toEqual([])
  })

  test('one that cannot be shown is a placeholder with a warning', () => {
    const { media, warnings } = picturesOf(runWithPictures([{ media_type: 'image/png', path: 'a.png', data: JPEG }]))
    expect(media[0]).not.toHaveProperty('picture')
    expect(warnings.map(({ message }) => message)).toEqual([
      'a picture that no judge can be shown: it is called image/png, and its bytes are image/jpeg',
    ])
  })
})

test('an attachment of Inspect that a thousand places mention is one picture', () => {
  const url = `data:image/png;base64,${pngOf(40, 40)}`
  const big = `${url.slice(0, -4)}${'A'.repeat(1024 * 1024)}`
  const { messages } = shown(...Array(1000).fill({ type: 'image', image: 'attachment://a1' }))
  const sample = { id: 1, epoch: 1, input: 'Look.', target: '', attachments: { a1: big }, messages }
  const document = { version: 2, status: 'success', eval: { model: 'm', task: 't' }, samples: [sample] }
  const opened = openDocuments(JSON.stringify(document))
  if (!opened.ok) throw new Error(JSON.stringify(opened.error))
  const began = performance.now()
  const { media } = picturesOf(opened.value[0]?.document ?? {})
  expect(performance.now() - began).toBeLessThan(2000)
  expect(media).toHaveLength(1000)
  expect(new Set(media.map(({ picture }) => picture)).size).toBe(1)
  expect(media[0]?.picture).toMatchObject({ width: 40, height: 40 })
})

test('no more than a thousand are looked at', () => {
  const many = Array.from({ length: 1500 }, () => ({ media_type: 'image/png', path: 'a.png', data: PNG }))
  const { media, warnings } = picturesOf(runWithPictures(many))
  expect(media).toHaveLength(1500)
  expect(media.filter(({ picture }) => picture !== undefined)).toHaveLength(1000)
  expect(warnings.map(({ message }) => message)).toEqual(['only the first 1000 pictures are looked at'])
})

describe('the form of a picture', () => {
  test.each([
    ['image/png', PNG, 1, 1],
    ['image/jpeg', JPEG, 1, 1],
    ['image/jpg', JPEG, 1, 1],
    ['image/gif', GIF, 1, 1],
    ['image/webp', WEBP, 1, 1],
    ['image/png', pngOf(640, 480), 640, 480],
  ])('%s is read', (media_type, data, width, height) => {
    expect(parsePicture({ media_type, data })).toMatchObject({ ok: true, value: { data, width, height } })
    expect(parsePicture({ url: `data:${media_type};base64,${data}` })).toMatchObject({ ok: true, value: { data } })
  })

  const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
  test.each([
    ['SVG', 'image/svg+xml', SVG, /not PNG, JPEG, GIF or WebP/],
    ['SVG under another name', 'image/png', SVG, /not those of a picture/],
    ['another kind than it is called', 'image/gif', PNG, /called image\/gif, and its bytes are image\/png/],
    ['no type', undefined, PNG, /its type \(none\)/],
    ['another alphabet', 'image/png', `${PNG.slice(0, -4)}-_==`, /not base64/],
    ['line ends', 'image/png', `${PNG.slice(0, 8)}\n\n\n\n${PNG.slice(8)}`, /not base64/],
    ['a piece missing', 'image/png', PNG.slice(0, -1), /not base64/],
    ['padding within', 'image/png', `${PNG.slice(0, 40)}====${PNG.slice(40)}`, /not base64/],
    ['only a head', 'image/png', PNG.slice(0, 20), /not those of a picture/],
    ['nothing', 'image/png', '', /not base64/],
    ['6 MB', 'image/png', `${PNG.slice(0, -4)}${'A'.repeat(6 * 1024 * 1024)}`, /more than the 5242880/],
    ['a bomb’s size', 'image/png', pngOf(8001, 1), /8001 × 1 pixels/],
    ['no size', 'image/png', pngOf(0, 0), /not those of a picture/],
  ])('%s is refused', (_, media_type, data, why) => {
    const parsed = parsePicture({ media_type, data })
    expect(parsed?.ok).toBe(false)
    expect(parsed?.ok === false && parsed.error).toMatch(why)
  })

  test.each([
    ['not base64', `data:image/png,${PNG}`],
    ['without an end of its head', `data:image/png;base64${'x'.repeat(200)},${PNG}`],
    ['with another kind inside', `data:image/webp;base64,${PNG}`],
  ])('a data URL %s is refused', (_, url) => {
    expect(parsePicture({ url })?.ok).toBe(false)
  })

  test('the largest is checked in a moment', () => {
    const data = `${PNG.slice(0, -4)}${'A'.repeat(MOST_PICTURE_CHARS - PNG.length + 4)}`
    const began = performance.now()
    expect(parsePicture({ media_type: 'image/png', data })?.ok).toBe(true)
    expect(performance.now() - began).toBeLessThan(500)
  })

  test('a JPEG says its size behind any segments, and one that only repeats markers says none', () => {
    const bytes = Buffer.from(JPEG, 'base64')
    const profile = Buffer.concat([Buffer.from([0xff, 0xe1, 0xff, 0xff]), Buffer.alloc(0xfffd)])
    const padded = Buffer.concat([bytes.subarray(0, 2), profile, profile, bytes.subarray(2)]).toString('base64')
    expect(parsePicture({ media_type: 'image/jpeg', data: padded })?.ok).toBe(true)
    const endless = Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(30_000, 0xff)]).toString('base64')
    expect(parsePicture({ media_type: 'image/jpeg', data: endless })?.ok).toBe(false)
  })
})
