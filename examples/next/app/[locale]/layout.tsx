import { draftMode } from "next/headers";

export default async function Layout({ children, params }: LayoutProps<"/[locale]">) {
  const { locale } = await params;
  const { isEnabled } = await draftMode();
  return (
    <html lang={locale}>
      <body>
        {isEnabled && (
          <form action="/api/preview/end" method="post">
            This is a preview. <button>End it</button>
          </form>
        )}
        {children}
      </body>
    </html>
  );
}
