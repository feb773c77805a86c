# SPDX-License-Identifier: Apache-2.0
"""Common given names and family names, to recognise columns of names.

Small lists, by no means complete: a column counts as names if many of its values are here, so that a rare name is no
obstacle. Left out is what is more often something else: months, colours, towns, countries, trades. Without accents, in
small letters.
"""

from __future__ import annotations

_GIVEN = """
aaron abigail adam adele adrian agata agnes agnieszka ahmed aisha alan albert alberto alejandra alejandro
aleksandra alessandra alessandro alessia alexander alexandra alexandre alfred ali alice alicia alina allison
amanda amelia amelie amina amir amy ana anders andre andrea andreas andres andrew andrey andrzej angela angelika
anika anita anja anke ann anna anne anneke annette annika anthony antje antoine anton antonio ariana arthur
arturo astrid aurelie axel aylin ayse barbara bart bartosz beatrice beatriz ben benjamin bernard bernd bettina
bianca birgit bjorn brandon brenda brian brigitte bruno camilla camille carla carlos carmen carol carolina
caroline catarina catherine cecilia celine charles charlotte chiara chloe christian christina christine
christoph christopher cindy clara clarissa claude claudia claudio clemens clement cornelia cristina cynthia
dagmar daniel daniela daniele danielle david davide deborah dennis diana diego dieter dimitri dirk dmitri
dominik donald dorothea douglas duarte edith eduardo edward eileen elena eleonora elif elisa elisabeth elizabeth
elke ella elsa emilia emilie emily emine emma emmanuel enrico erik erika ernst esther eugenia eva evelyn fabian
fabio fabrice fatima fatma federica federico felix fernanda fernando filipe finn florian franco francois frank
frans franz fredrik frieda friedrich gabriel gabriela gabriele gary georg george gerald gerard gerda gerhard
gertrud giacomo gianluca giorgio giovanna giovanni giulia giuseppe gonzalo grazyna gregory greta guido guillaume
gunter gustav hanna hannah hans harald harold hasan hassan heather heidi heike heinrich heinz helen helena helga
helmut hendrik henri henrik henry herbert hermann hiroshi holger hugo huseyin ian ibrahim ignacio igor ilse ines
inga inge ingrid irene irina isaac isabel isabella isabelle ivan jacek jack jacob jacqueline jakob jakub james
jana janet janine jannis jasmin jason javier jean jeffrey jennifer jens jeremy jerzy jessica joan joana joanna
joao joaquin joel joerg johan johann johanna johannes john jonas jonathan joost jorge jose josef joseph joshua
joyce juan juana judith julia julian juliane julie julien juliette jurgen justin kaan karen karim karin karl
karla karsten kasper katarina katarzyna katharina katherine kathleen katja keith kelly kenneth kevin khadija
kirsten klaus konrad krzysztof kurt kyle lara larry lars laura lauren laurent leah lena leon leonardo leonie
leticia lieke lina linda linus lisa liz lorenzo louis louise luca lucas lucia luciana lucie luis luisa luise
lukas maarten maciej madison magdalena maja malte manfred manon manuel manuela marc marcel marcin marco marcus
margaret margherita margit maria mariam mariana marie marieke marina mario marion marius markus marlene marta
martha martin martina mary mateusz mathilde mathis matteo matthew matthias maurice maximilian megan mehdi mehmet
melanie melissa merve michael michaela michal michel michelle miguel mikael mikkel milan mohamed mohammad
mohammed monika monique moritz muhammad murat mustafa nadia nadine nancy natalia natalie nathalie nathan
nicholas nico nicola nicolas nicole niklas nikolaus nils nina noah nora norbert norma olga oliver olivia olivier
omar oskar osman otto pablo pamela paola paolo pascal patricia patrick patrizia paul paula paulo pavel pawel
pedro peter petra philip philipp philippe pia piotr priya rachel rafael raimund rainer ralf ralph raquel raul
raymond rebecca reinhard renate rene ricardo riccardo richard rita robert roberta roberto roger roland rolf
romain ronald rosemarie ruben rudolf ruth ryan sabine sabrina salma salvatore samantha samira samuel sandra
sandro sanne sara sarah saskia scott sean sebastian sebastien selin serge sergio sharon silke silvia simon
simone sofia sofie sonia sonja sophia sophie soren stefan stefania stefanie stefano steffen stephan stephanie
stephen steven susan susana susanne sven svenja swen sylvia sylvie tamara tanja tatiana teresa theo theodor
theresa thierry thijs thomas thorsten tiago tilo tim timothy tobias tom tomas tomasz torsten ulrich ulrike
ursula ute uwe valentin valentina valeria valerie vanessa vasco vera veronica veronika victoria viktor vincent
vincenzo virginie vladimir volker walter waltraud wei wendy werner wilhelm willem william wojciech wolfgang
xavier yann yannick yasmin yolanda youssef yusuf yvonne zahra zeynep zoe zuzanna
"""
_FAMILY = """
adams ahmed albrecht allen almeida alonso alvarez andersen anderson andersson ansari arnold bailey barbieri
baumann becker bennett bergmann bernard bernardi bertrand bianchi bonnet boyer brandt bruno bryant campbell
carlsson castillo castro chavez chen choi christensen clark clarke colombo conti costa cox cruz davies davis
delacroix delgado diaz dijkstra dominguez dubois dumont dupont durand edwards eriksson esposito evans fernandes
fernandez ferrari ferreira fontana fournier gallo garcia garnier gauthier giordano girard gomes gomez gonzalez
greco gruber guerin gupta gustafsson gutierrez haas hansen hansson harris hartmann heinrich henderson hendriks
hernandez herrera herrmann hoffmann hofmann hoogland howard huber hughes ivanov ivanova jackson jacobs jansen
janssen jansson jenkins jensen jimenez johansen johansson johnson jones jorgensen kaminski karlsson kaya keller
kelly khan kim kohler kowalska kowalski kozlowski kraus krause kruger kuhn kumar larsen larsson lehmann leroy
lewandowski lewis lindberg lombardi lopes lopez lorenz ludwig maier mancini marino marques martinez martini
martins mayer mcdonald medina meier mendes mendez mendoza meyer michel mitchell mohamed molina moller moore
morales moreau moreira moreno moretti morgan morris mueller muller munoz murphy murray nagy navarro nelson
neumann nguyen nielsen nilsson novak novakova nowak nunez nystrom oconnor okafor oliveira olsen olsson ortega
ortiz ozturk pedersen pereira perez perrin peters petersen peterson petrov pfeiffer phillips popescu popov
powell ramirez ramos rasmussen ribeiro ricci richardson rivera rizzo roberts robinson rodrigues rodriguez rogers
romano romero rossi roth rousseau roux rubio ruiz russo sahin sanchez sanders santos sato sauer schmid schmidt
schmitt schmitz scholz schroder schubert schultz schulz schulze serrano sharma silva simonsen singh smirnov
smith sorensen sousa souza stewart suarez suzuki svensson takahashi tanaka taylor thompson torres tran vargas
vasquez vazquez verhoeven vermeulen vidal vogt wagner wang watson werner williams wilson winkler wisniewski
wojcik wolff wong wright yamamoto yang yildirim yildiz yilmaz zhang zhao zielinski
"""
GIVEN_NAMES, FAMILY_NAMES = frozenset(_GIVEN.split()), frozenset(_FAMILY.split())
