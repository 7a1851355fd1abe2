"""Makes the files in this folder with the programs that their names say.

    pip install python-docx odfpy reportlab fpdf2 pillow
    python make.py .
"""
import sys
import zipfile
from pathlib import Path
out = Path(sys.argv[1])
WORDS = ["Green tea is made from leaves that have not withered.",
         "Steep the leaves for two minutes in water of eighty degrees."]
LINK = ("second flush", "http://tea.example/flush")

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
d = Document()
d.core_properties.title = "Storing tea"
d.core_properties.author = "Ann Assam"
d.add_heading("How to store tea", 1)
for words in WORDS: d.add_paragraph(words)
p = d.add_paragraph("Read about the ")
link = OxmlElement("w:hyperlink")
link.set(qn("r:id"), d.part.relate_to(LINK[1], RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
run = OxmlElement("w:r"); t = OxmlElement("w:t"); t.text = LINK[0]; run.append(t); link.append(run); p._p.append(link)
d.add_paragraph("a tin keeps out the light", style="List Bullet")
table = d.add_table(rows=1, cols=2); table.rows[0].cells[0].text = "oolong"; table.rows[0].cells[1].text = "ninety degrees"
d.save(out / "whole.docx")
# Without the template's picture and styles, which make it thirty times as large.
with zipfile.ZipFile(out / "whole.docx") as whole, zipfile.ZipFile(out / "python-docx.docx", "w", zipfile.ZIP_DEFLATED) as small:
    for name in whole.namelist():
        if not any(part in name for part in ("thumbnail", "styles", "theme", "customXml", "numbering", "fontTable", "Settings", "settings")):
            small.writestr(name, whole.read(name))
(out / "whole.docx").unlink()

from odf.opendocument import OpenDocumentText
from odf.text import H, P, A, List, ListItem
from odf.dc import Title, Creator
from odf.table import Table, TableRow, TableCell, TableColumn
o = OpenDocumentText()
o.meta.addElement(Title(text="Storing tea"))
o.text.addElement(H(outlinelevel=1, text="How to store tea"))
for words in WORDS: o.text.addElement(P(text=words))
p = P(text="Read about the "); p.addElement(A(href=LINK[1], type="simple", text=LINK[0])); o.text.addElement(p)
l = List(); i = ListItem(); i.addElement(P(text="a tin keeps out the light")); l.addElement(i); o.text.addElement(l)
table = Table(name="t"); table.addElement(TableColumn(numbercolumnsrepeated=2)); row = TableRow()
for cell in ["oolong", "ninety degrees"]:
    c = TableCell(); c.addElement(P(text=cell)); row.addElement(c)
table.addElement(row); o.text.addElement(table)
o.save(str(out / "odfpy.odt"))

from reportlab.platypus import SimpleDocTemplate, Paragraph
from reportlab.lib.styles import getSampleStyleSheet
s = getSampleStyleSheet()
def story():
    return [Paragraph("How to store tea", s["Title"])] + [Paragraph(w, s["BodyText"]) for w in WORDS] + [
        Paragraph(f'Read about the <link href="{LINK[1]}">{LINK[0]}</link>.', s["BodyText"]),
        Paragraph("a tin keeps out the light", s["Bullet"]), Paragraph("oolong: ninety degrees", s["BodyText"])]
SimpleDocTemplate(str(out / "reportlab.pdf"), title="Storing tea", author="Ann Assam").build(story())
from reportlab.lib.pdfencrypt import StandardEncryption
SimpleDocTemplate(str(out / "encrypted.pdf"), title="Storing tea", encrypt=StandardEncryption("secret")).build(story())

from fpdf import FPDF
f = FPDF(); f.set_title("Storing tea"); f.add_page(); f.set_font("Times", size=18); f.cell(text="How to store tea", new_x="LMARGIN", new_y="NEXT")
f.set_font("Times", size=11)
for words in WORDS: f.multi_cell(0, text=words, new_x="LMARGIN", new_y="NEXT")
f.write(text="Read about the "); f.write(text=LINK[0], link=LINK[1]); f.ln()
f.multi_cell(0, text="a tin keeps out the light", new_x="LMARGIN", new_y="NEXT"); f.multi_cell(0, text="oolong: ninety degrees", new_x="LMARGIN", new_y="NEXT")
f.output(str(out / "fpdf2.pdf"))

from PIL import Image
Image.new("RGB", (200, 200), "white").save(out / "scan.pdf")
