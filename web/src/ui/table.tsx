import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { setQuery, usePlace } from '../location.ts'
import { formatCount } from '../words.ts'
import { useShortcuts } from './keyboard.ts'
import { recall, remember } from './memory.ts'
import { Empty, NameOrNone } from './parts.tsx'
import { nextSorting, readSorting, type SortValue, sortRows } from './sort.ts'

export interface Column<T> {
  readonly title: string
  /** Numbers stand right. */
  readonly number?: boolean
  readonly cell: (item: T) => ComponentChildren
  /** The value to sort by; null: an empty cell. A list leaves out a column whose cells are all empty. */
  readonly value?: (item: T) => SortValue
}

/** Makes a column of counts. */
export const countColumn = <T,>(title: string, of: (item: T) => number): Column<T> => ({
  title,
  number: true,
  cell: (item) => formatCount(of(item)),
})

/** Makes a column of names by strangers, sorted by them. */
export const nameColumn = <T,>(title: string, of: (item: T) => string | null | undefined): Column<T> => ({
  title,
  cell: (item) => <NameOrNone name={of(item)} />,
  value: (item) => of(item) || null,
})

export interface TableProps<T> {
  /** The content of the table, for readers who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** The page of a row; the head of the row becomes its link, and `j`, `k` go from link to link. */
  readonly hrefOf?: (item: T) => string | null
  /** The title of the column that names a row; absent: the first column. */
  readonly headOf?: (item: T) => string
  /** Whether the headings of columns with a value sort the rows by `?sort=`. */
  readonly sorted?: boolean
  /** Stands in place of an empty table. */
  readonly empty: string | JSX.Element
}

/** Sorts items as the address wants them: `?sort=task`, `?sort=-task`. */
export function sortItems<T>(items: readonly T[], columns: readonly Column<T>[], query: URLSearchParams): readonly T[] {
  const sorting = readSorting(query.get('sort'))
  const of = columns.find(({ title }) => title.toLowerCase() === sorting?.by)?.value
  return sorting === null || of === undefined ? items : sortRows(items, of, sorting.down)
}

interface ScrollProps {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** A box that scrolls sideways by itself, also by keyboard. */
export const Scroll = ({ label, children, ...more }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must reach a box that scrolls
  <section class={`scroll ${more.class ?? ''}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
)

/** Widths of the columns of a list in pixels, by title; none: the browser divides the room. */
type Widths = Readonly<Record<string, number>>

/** Reads and stores the widths that the reader has given to the columns of a list. */
function useWidths(list: string): readonly [Widths, (widths: Widths) => void] {
  const key = `veridict.widths.${list}`
  const [widths, setWidths] = useState<Widths>(() => JSON.parse(recall(key) ?? '{}'))
  const change = (next: Widths) => {
    setWidths(next)
    remember(key, JSON.stringify(next))
  }
  return [widths, change]
}

/** A table of items. On a narrow page each row becomes a card. */
export function Table<T>(props: TableProps<T>) {
  const { caption, items, hrefOf } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [widths, setWidths] = useWidths(caption)
  const move = (by: number) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a.row-link') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useShortcuts(
    hrefOf === undefined
      ? []
      : [
          { key: 'j', what: 'next row (Enter opens it)', run: () => move(1) },
          { key: 'k', what: 'row before', run: () => move(-1) },
        ],
  )
  if (items.length === 0) return typeof props.empty === 'string' ? <Empty>{props.empty}</Empty> : props.empty
  const columns = props.columns.filter(
    ({ title, value }) => !value || items.some((item) => value(item) !== null || headOf(props, item) === title),
  )
  const total = columns.reduce((sum, { title }) => sum + (widths[title] ?? NEW_COLUMN), 0)
  const sized = Object.keys(widths).length > 0 && { style: { '--width': `${total}px` } }
  return (
    <Scroll label={caption}>
      <table class={sized ? 'list sized' : 'list'} {...sized}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} column={column} sorted={props.sorted} width={widths[column.title]}>
                {hrefOf && <Grip title={column.title} widths={widths} onSize={setWidths} />}
              </Heading>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {items.map((item) => (
            <Row key={props.keyOf(item)} item={item} {...props} columns={columns} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** The width of a column that came after the reader has set the others. */
const NEW_COLUMN = 130
const NARROWEST = 48
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -24, ArrowRight: 24 }

interface GripProps {
  readonly title: string
  readonly widths: Widths
  readonly onSize: (widths: Widths) => void
}

/** The right edge of a heading: dragged, or moved by arrow keys, it sets the width of its column; a double click divides the room anew. */
function Grip({ title, widths, onSize }: GripProps) {
  const size = (heading: HTMLElement | null, widthOf: (rect: DOMRect) => number) => {
    if (heading === null) return
    const all = [...(heading.parentElement?.children ?? [])] as HTMLElement[]
    const now = all.map((one) => [one.dataset['column'] ?? '', Math.round(one.getBoundingClientRect().width)])
    const width = Math.max(NARROWEST, Math.round(widthOf(heading.getBoundingClientRect())))
    onSize({ ...Object.fromEntries(now), [title]: width })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between paragraphs has no width to set
    <span
      class="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuenow={widths[title] ?? 0}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) size(currentTarget.parentElement, ({ left }) => clientX - left)
      }}
      onDblClick={() => onSize({})}
      onKeyDown={({ key, currentTarget }) => {
        const step = STEPS[key]
        if (step !== undefined) size(currentTarget.parentElement, ({ width }) => width + step)
      }}
    />
  )
}

interface HeadingProps<T> {
  readonly column: Column<T>
  readonly sorted: boolean | undefined
  readonly width: number | undefined
  readonly children: ComponentChildren
}

function Heading<T>({ column, sorted = false, width = NEW_COLUMN, children }: HeadingProps<T>) {
  const { title, value } = column
  const name = title.toLowerCase()
  const sorting = readSorting(usePlace().query.get('sort'))
  const now = sorted && name === sorting?.by ? sorting : null
  return (
    <th
      scope="col"
      class={classOf(column)}
      data-column={title}
      aria-sort={now === null ? undefined : now.down ? 'descending' : 'ascending'}
      style={{ '--width': `${width}px` }}
    >
      {!sorted || value === undefined ? (
        title
      ) : (
        <button
          type="button"
          class="sort"
          onClick={() => setQuery({ sort: nextSorting(now, name), page: null }, { replace: true })}
        >
          {title}
          <span aria-hidden="true">{now === null ? ' ↕' : now.down ? ' ↓' : ' ↑'}</span>
        </button>
      )}
      {children}
    </th>
  )
}

/** Finds the title of the column that names a row. */
const headOf = <T,>({ headOf: of, columns }: TableProps<T>, item: T) => of?.(item) ?? columns[0]?.title

const classOf = ({ number }: { readonly number?: boolean }) => (number === true ? 'number' : undefined)

function Row<T>({ item, ...props }: TableProps<T> & { readonly item: T }) {
  const href = props.hrefOf?.(item) ?? null
  const head = headOf(props, item)
  return (
    <tr>
      {props.columns.map((column) => {
        const isHead = column.title === head
        const content = column.cell(item)
        return (
          <td key={column.title} class={classOf(column)} data-title={column.title} data-head={isHead ? '' : undefined}>
            {isHead && href !== null ? (
              <a class="row-link" href={href}>
                {content}
              </a>
            ) : (
              content
            )}
          </td>
        )
      })}
    </tr>
  )
}
