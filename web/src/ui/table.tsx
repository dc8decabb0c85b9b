import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { setQuery, usePlace } from '../location.ts'
import { formatCount } from '../words.ts'
import { useShortcuts } from './keyboard.ts'
import { Empty, NameOrNone } from './parts.tsx'
import { nextSorting, readSorting, type SortValue, sortRows } from './sort.ts'

export interface Column<T> {
  readonly title: string
  /** Numbers stand right. */
  readonly number?: boolean
  readonly cell: (item: T) => ComponentChildren
  /** The word of the column in `?sort=`, and the value to sort by. Absent: the column cannot be sorted. */
  readonly sort?: { readonly name: string; readonly of: (item: T) => SortValue }
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
  sort: { name: title.toLowerCase(), of: (item) => of(item) || null },
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
  /** Stands in place of an empty table. */
  readonly empty: string | JSX.Element
}

/** Sorts items as the address wants them: `?sort=task`, `?sort=-task`. */
export function sortItems<T>(items: readonly T[], columns: readonly Column<T>[], query: URLSearchParams): readonly T[] {
  const sorting = readSorting(query.get('sort'))
  const of = columns.find(({ sort }) => sort !== undefined && sort.name === sorting?.by)?.sort?.of
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

/** A table of items. On a narrow page each row becomes a card. */
export function Table<T>(props: TableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const move = (by: number) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a.row-link') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useShortcuts(
    props.hrefOf === undefined
      ? []
      : [
          { key: 'j', what: 'next row (Enter opens it)', run: () => move(1) },
          { key: 'k', what: 'row before', run: () => move(-1) },
        ],
  )
  if (props.items.length === 0) return typeof props.empty === 'string' ? <Empty>{props.empty}</Empty> : props.empty
  return (
    <Scroll label={props.caption}>
      <table class="list">
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <Heading key={column.title} column={column} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {props.items.map((item) => (
            <Row key={props.keyOf(item)} item={item} {...props} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const classOf = ({ number }: { readonly number?: boolean }) => (number === true ? 'number' : undefined)

function Heading<T>({ column }: { readonly column: Column<T> }) {
  const { title, sort } = column
  const sorting = readSorting(usePlace().query.get('sort'))
  const now = sort !== undefined && sort.name === sorting?.by ? sorting : null
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={now === null ? undefined : now.down ? 'descending' : 'ascending'}
    >
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          class="sort"
          onClick={() => setQuery({ sort: nextSorting(now, sort.name), page: null }, { replace: true })}
        >
          {title}
          <span aria-hidden="true">{now === null ? ' ↕' : now.down ? ' ↓' : ' ↑'}</span>
        </button>
      )}
    </th>
  )
}

function Row<T>({ item, columns, hrefOf, headOf }: TableProps<T> & { readonly item: T }) {
  const href = hrefOf?.(item) ?? null
  const head = headOf?.(item) ?? columns[0]?.title
  return (
    <tr>
      {columns.map((column) => {
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
