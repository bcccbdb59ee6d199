import Link from "next/link";
import { search } from "@/lib/quire";
import { SearchBox } from "./box";

export default async function Page({ params, searchParams }: PageProps<"/[locale]/search">) {
  const { locale } = await params;
  const { q, price } = await searchParams;
  const text = typeof q === "string" ? q : "";
  const chosen = typeof price === "string" ? price : "";
  const { data, meta } = await search(locale, text, chosen);
  const better = meta.search.didYouMean;
  const to = (query: Record<string, string>) => `/${locale}/search?${new URLSearchParams(query)}`;
  return (
    <main>
      <h1>Search</h1>
      <SearchBox locale={locale} text={text} />
      {better && <p>Did you mean <Link href={to({ q: better })}>{better}</Link>?</p>}
      <ul>
        {meta.facets.price.map(({ value, count }) => (
          <li key={value}>
            <Link href={value === chosen ? to({ q: text }) : to({ q: text, price: value })}>{value} ({count})</Link>
          </li>
        ))}
      </ul>
      <p>{meta.pagination.total} found</p>
      <ol>
        {data.map(({ documentId, name, slug, _highlight: { name: title, summary } }) => (
          <li key={documentId}>
            <Link href={`/${locale}/restaurants/${slug}`}>{title ? <span dangerouslySetInnerHTML={{ __html: title }} /> : name}</Link>
            {summary && <p dangerouslySetInnerHTML={{ __html: summary }} />}
          </li>
        ))}
      </ol>
      <Link href={`/${locale}`}>All restaurants</Link>
    </main>
  );
}
