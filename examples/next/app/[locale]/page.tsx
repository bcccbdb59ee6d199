import Link from "next/link";
import { restaurants } from "@/lib/quire";

export const generateStaticParams = () => [{ locale: "en" }, { locale: "de" }];

export const dynamicParams = false; // there are no other locales

export default async function Page({ params }: PageProps<"/[locale]">) {
  const { locale } = await params;
  return (
    <main>
      <h1>Restaurants</h1>
      <Link href={`/${locale}/search`}>Search</Link>
      <ul>
        {(await restaurants(locale)).map(({ documentId, name, slug, cook }) => (
          <li key={documentId}>
            <Link href={`/${locale}/restaurants/${slug}`}>{name}</Link> {cook && `by ${cook.name}`}
          </li>
        ))}
      </ul>
    </main>
  );
}
