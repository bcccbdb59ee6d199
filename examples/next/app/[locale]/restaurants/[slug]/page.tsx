import { type BlocksContent, BlocksRenderer } from "@strapi/blocks-react-renderer";
import Link from "next/link";
import { notFound } from "next/navigation";
import { quire, restaurant, restaurants } from "@/lib/quire";

/** The pages that the build makes. Other restaurants get theirs with the first request. */
export async function generateStaticParams() {
  return (await restaurants("*")).flatMap(({ locale, slug }) => (slug ? [{ locale, slug }] : []));
}

export default async function Page({ params }: PageProps<"/[locale]/restaurants/[slug]">) {
  const { locale, slug } = await params;
  const shown = await restaurant(locale, slug);
  if (!shown) notFound();
  const { name, summary, photo, cook, cuisines, description } = shown;
  return (
    <main>
      <h1>{name}</h1>
      <p>{summary}</p>
      {photo && <img src={quire + photo.url} alt={photo.alternativeText ?? ""} width={photo.width!} height={photo.height!} />}
      {cook && <p>Cook: {cook.name}</p>}
      <p>{cuisines.map((cuisine) => cuisine.name).join(", ")}</p>
      {description && <BlocksRenderer content={description as BlocksContent} />}
      <Link href={`/${locale}`}>All restaurants</Link>
    </main>
  );
}
